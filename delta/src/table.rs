//! Snapshots of Delta tables through the kernel.
//!
//! The kernel sees each table at the root of a store of its own, `memory:///`, whose prefix is the
//! table's folder: the folder's name never passes through the kernel's URLs, where a literal `%`
//! in it would be decoded away.
use std::ffi::{c_char, c_int};
use std::sync::Arc;

use delta_kernel::arrow::array::{Array, AsArray, RecordBatch, RecordBatchReader};
use delta_kernel::arrow::datatypes::{Int64Type, Schema, SchemaRef};
use delta_kernel::arrow::error::ArrowError;
use delta_kernel::arrow::ffi::FFI_ArrowSchema;
use delta_kernel::arrow::ffi_stream::FFI_ArrowArrayStream;
use delta_kernel::checkpoint::CheckpointSpec;
use delta_kernel::engine::arrow_conversion::TryIntoArrow;
use delta_kernel::engine::arrow_data::EngineDataArrowExt;
use delta_kernel::object_store::path::Path;
use delta_kernel::object_store::prefix::PrefixStore;
use delta_kernel::object_store::ObjectStore;
use delta_kernel::scan::StatsOptions;
use delta_kernel::{Engine, EngineData, KernelError, Snapshot, SnapshotRef};
use delta_kernel_default_engine::executor::tokio::TokioMultiThreadExecutor;
use delta_kernel_default_engine::DefaultEngineBuilder;
use futures::StreamExt;

use crate::execution::{runtime, CallingThread};
use crate::ffi::{guard, text, ArBytes, Failure, Outcome, INVALID_TABLE, NOT_DONE, OK};
use crate::open::ArStore;
use crate::packed::Packed;

const ROOT: &str = "memory:///";

pub struct ArTable {
    pub engine: Arc<dyn Engine>,
    pub snapshot: SnapshotRef,
    pub url: String,
}

impl ArTable {
    pub fn failure(&self, what: &str, error: KernelError) -> Failure {
        Failure::error(format!("{what} of the Delta table {}: {error}", self.url))
    }
}

fn engine_for(store: &ArStore, folder: &Path) -> Arc<dyn Engine> {
    let rooted: Arc<dyn ObjectStore> =
        Arc::new(PrefixStore::new(store.store.clone() as Arc<dyn ObjectStore>, folder.clone()));
    let builder = DefaultEngineBuilder::new(rooted);
    if store.local {
        Arc::new(builder.with_task_executor(Arc::new(CallingThread)).build())
    } else {
        let executor = TokioMultiThreadExecutor::new(runtime().handle().clone());
        Arc::new(builder.with_task_executor(Arc::new(executor)).build())
    }
}

/// Why a table could not be opened: a folder that is not there, something else that lies in its
/// place, or a store that failed.
fn open_failure(store: &ArStore, folder: &Path, url: &str, error: KernelError) -> Failure {
    let first = store.wait(async { store.store.list(Some(folder)).next().await });
    match first {
        None => Failure::not_found(format!("{url} does not exist")),
        Some(Err(e)) => store.failure(folder.as_ref(), e),
        Some(Ok(_)) => match error {
            KernelError::ObjectStore(e) => store.failure(folder.as_ref(), e),
            error => Failure::invalid_table(format!(
                "{url} holds files but no readable Delta table ({error}). Nothing was deleted: \
                 move the folder away, or restore its _delta_log"
            )),
        },
    }
}

#[no_mangle]
pub unsafe extern "C" fn ar_table_open(
    store: *const ArStore,
    folder: *const c_char,
    out: *mut *mut ArTable,
    message: *mut *mut c_char,
) -> c_int {
    guard(message, || {
        let (store, folder) = (&*store, text(folder)?);
        let key = store.key(folder)?;
        let url = format!("{}{folder}", store.base_url);
        let engine = engine_for(store, &key);
        let build = || Snapshot::builder_for(ROOT).build(engine.as_ref());
        let failure = |e| open_failure(store, &key, &url, e);
        // Another writer may create the table between the look that finds none and the one that
        // finds its files: then there is one now.
        let snapshot = build().map_err(failure).or_else(|first| match first.code {
            INVALID_TABLE => build().map_err(failure),
            _ => Err(first),
        })?;
        *out = Box::into_raw(Box::new(ArTable { engine, snapshot, url }));
        Ok(OK)
    })
}

#[no_mangle]
pub unsafe extern "C" fn ar_table_refresh(
    table: *const ArTable,
    out: *mut *mut ArTable,
    message: *mut *mut c_char,
) -> c_int {
    guard(message, || {
        let table = &*table;
        let snapshot = Snapshot::builder_from(table.snapshot.clone())
            .build(table.engine.as_ref())
            .map_err(|e| table.failure("refresh", e))?;
        let (engine, url) = (table.engine.clone(), table.url.clone());
        *out = Box::into_raw(Box::new(ArTable { engine, snapshot, url }));
        Ok(OK)
    })
}

#[no_mangle]
pub unsafe extern "C" fn ar_table_free(table: *mut ArTable) {
    if !table.is_null() {
        drop(Box::from_raw(table));
    }
}

#[no_mangle]
pub unsafe extern "C" fn ar_table_describe(
    table: *const ArTable,
    out: *mut ArBytes,
    message: *mut *mut c_char,
) -> c_int {
    guard(message, || {
        let table = &*table;
        let configuration = table.snapshot.table_configuration();
        let described = serde_json::json!({
            "version": table.snapshot.version(),
            "metaData": configuration.metadata(),
            "protocol": configuration.protocol(),
        });
        *out = ArBytes::new(described.to_string().into_bytes());
        Ok(OK)
    })
}

#[no_mangle]
pub unsafe extern "C" fn ar_table_schema(
    table: *const ArTable,
    out: *mut FFI_ArrowSchema,
    message: *mut *mut c_char,
) -> c_int {
    guard(message, || {
        let table = &*table;
        let schema: Schema = table
            .snapshot
            .schema()
            .as_ref()
            .try_into_arrow()
            .map_err(|e| Failure::error(format!("schema of {}: {e}", table.url)))?;
        let exported = FFI_ArrowSchema::try_from(&schema)
            .map_err(|e| Failure::error(format!("schema of {}: {e}", table.url)))?;
        std::ptr::write(out, exported);
        Ok(OK)
    })
}

#[no_mangle]
pub unsafe extern "C" fn ar_table_app_version(
    table: *const ArTable,
    app: *const c_char,
    out: *mut i64,
    message: *mut *mut c_char,
) -> c_int {
    guard(message, || {
        let table = &*table;
        let found = table
            .snapshot
            .get_app_id_version(text(app)?, table.engine.as_ref())
            .map_err(|e| table.failure("transaction ids", e))?;
        match found {
            Some(version) => {
                *out = version;
                Ok(OK)
            }
            None => Ok(NOT_DONE),
        }
    })
}

fn record_count(stats: &str) -> i64 {
    let parsed: Option<serde_json::Value> = serde_json::from_str(stats).ok();
    parsed.and_then(|value| value.get("numRecords")?.as_i64()).unwrap_or(-1)
}

/// A logged path is a relative URL.
fn decoded(path: &str) -> Outcome<String> {
    if !path.contains('%') {
        return Ok(path.to_string());
    }
    let bytes = path.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut i = 0;
    while i < bytes.len() {
        let hex = path.get(i + 1..i + 3).and_then(|h| u8::from_str_radix(h, 16).ok());
        match (bytes[i], hex) {
            (b'%', Some(byte)) => {
                out.push(byte);
                i += 3;
            }
            (byte, _) => {
                out.push(byte);
                i += 1;
            }
        }
    }
    String::from_utf8(out)
        .map_err(|_| Failure::invalid_table(format!("the logged path '{path}' is not UTF-8")))
}

fn is_absolute(path: &str) -> bool {
    path.starts_with('/')
        || path.split_once(':').is_some_and(|(scheme, _)| {
            scheme.starts_with(|c: char| c.is_ascii_alphabetic())
                && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
        })
}

/// A logged path of one of the table's own files, decoded.
pub(crate) fn relative(path: &str, url: &str) -> Outcome<String> {
    if is_absolute(path) {
        return Err(Failure::invalid_table(format!(
            "the Delta table {url} refers to files of another table ('{path}'): copy it in full"
        )));
    }
    decoded(path)
}

fn pack_files(batch: &RecordBatch, selected: &[bool], url: &str, packed: &mut Packed) -> Outcome<()> {
    let column = |name: &str| {
        batch.column_by_name(name).ok_or_else(|| Failure::error(format!("{url}: no {name} in the log")))
    };
    let paths = column("path")?.as_string::<i32>();
    let sizes = column("size")?.as_primitive::<Int64Type>();
    let modified = column("modificationTime")?.as_primitive::<Int64Type>();
    let stats = column("stats")?.as_string::<i32>();
    let vectors = column("deletionVector")?;
    for row in 0..batch.num_rows() {
        if !selected.get(row).copied().unwrap_or(true) || paths.is_null(row) {
            continue;
        }
        let path = paths.value(row);
        let stats = if stats.is_valid(row) { stats.value(row) } else { "" };
        packed
            .text(&relative(path, url)?)
            .text(path)
            .integer(sizes.value(row))
            .integer(modified.value(row))
            .integer(record_count(stats))
            .integer(vectors.is_valid(row) as i64)
            .text(stats);
    }
    Ok(())
}

#[no_mangle]
pub unsafe extern "C" fn ar_table_files(
    table: *const ArTable,
    out: *mut ArBytes,
    message: *mut *mut c_char,
) -> c_int {
    guard(message, || {
        let table = &*table;
        let failed = |e: KernelError| table.failure("files", e);
        let scan = table
            .snapshot
            .clone()
            .scan_builder()
            .with_stats(StatsOptions::json_only())
            .build()
            .map_err(failed)?;
        let mut packed = Packed::default();
        for found in scan.scan_metadata(table.engine.as_ref()).map_err(failed)? {
            let (data, selected) = found.map_err(failed)?.scan_files.into_parts();
            let batch = data.try_into_record_batch().map_err(failed)?;
            pack_files(&batch, &selected, &table.url, &mut packed)?;
        }
        *out = ArBytes::new(packed.0);
        Ok(OK)
    })
}

/// A table's rows on their way to Arrow's C stream.
struct Rows<I> {
    schema: SchemaRef,
    batches: I,
}

impl<I: Iterator<Item = Result<Box<dyn EngineData>, KernelError>>> Iterator for Rows<I> {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let data = self.batches.next()?;
        let batch = data.and_then(|d| d.try_into_record_batch());
        Some(batch.map_err(|e| ArrowError::ExternalError(Box::new(e))))
    }
}

impl<I: Iterator<Item = Result<Box<dyn EngineData>, KernelError>>> RecordBatchReader for Rows<I> {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }
}

/// Arrow's C streams are used from one thread at a time, whichever that is.
struct OneAtATime<R>(R);
unsafe impl<R> Send for OneAtATime<R> {}

impl<R: RecordBatchReader> Iterator for OneAtATime<R> {
    type Item = Result<RecordBatch, ArrowError>;
    fn next(&mut self) -> Option<Self::Item> {
        self.0.next()
    }
}

impl<R: RecordBatchReader> RecordBatchReader for OneAtATime<R> {
    fn schema(&self) -> SchemaRef {
        self.0.schema()
    }
}

#[no_mangle]
pub unsafe extern "C" fn ar_table_read(
    table: *const ArTable,
    columns_json: *const c_char,
    out: *mut FFI_ArrowArrayStream,
    message: *mut *mut c_char,
) -> c_int {
    guard(message, || {
        let table = &*table;
        let columns: Vec<String> = serde_json::from_str(text(columns_json)?)
            .map_err(|e| Failure::invalid(format!("column names: {e}")))?;
        let failed = |e: KernelError| table.failure("rows", e);
        let schema = table.snapshot.schema().project(&columns).map_err(failed)?;
        let scan = table.snapshot.clone().scan_builder().with_schema(schema).build().map_err(failed)?;
        let schema: Schema = scan
            .logical_schema()
            .as_ref()
            .try_into_arrow()
            .map_err(|e| Failure::error(format!("schema of {}: {e}", table.url)))?;
        let batches = scan.execute(table.engine.clone()).map_err(failed)?;
        let rows = OneAtATime(Rows { schema: Arc::new(schema), batches });
        std::ptr::write(out, FFI_ArrowArrayStream::new(Box::new(rows)));
        Ok(OK)
    })
}

#[no_mangle]
pub unsafe extern "C" fn ar_table_checkpoint(table: *const ArTable, message: *mut *mut c_char) -> c_int {
    guard(message, || {
        let table = &*table;
        table
            .snapshot
            .checkpoint(table.engine.as_ref(), None::<&CheckpointSpec>)
            .map_err(|e| table.failure("checkpoint", e))?;
        Ok(OK)
    })
}
