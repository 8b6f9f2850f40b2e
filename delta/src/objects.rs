//! Objects: head, get, put under conditions, list, delete.
use std::collections::HashMap;
use std::ffi::{c_char, c_int};
use std::fs::File;
use std::mem::ManuallyDrop;
use std::os::fd::FromRawFd;
use std::sync::atomic::Ordering;

use bytes::Bytes;
use delta_kernel::object_store::path::Path;
use delta_kernel::object_store::{
    Error, GetOptions, GetRange, ObjectMeta, ObjectStore, ObjectStoreExt, PutMode, PutOptions, UpdateVersion,
};
use futures::stream::{self, StreamExt, TryStreamExt};

use crate::disk;
use crate::fault;
use crate::ffi::{guard, slice, text, ArBytes, Failure, Outcome, NOT_DONE, OK};
use crate::local_disk::{error_at, file_path, meta_of};
use crate::open::{open, ArStore};
use crate::packed::Packed;
use crate::staged_file::read_tagged;

#[no_mangle]
pub unsafe extern "C" fn ar_store_open(
    url: *const c_char,
    options_json: *const c_char,
    out: *mut *mut ArStore,
    base_url: *mut ArBytes,
    message: *mut *mut c_char,
) -> c_int {
    guard(message, || {
        fault::read_environment();
        let options: HashMap<String, String> = serde_json::from_str(text(options_json)?)
            .map_err(|e| Failure::invalid(format!("store options: {e}")))?;
        let store = open(text(url)?, &options)?;
        *base_url = ArBytes::new(store.base_url.clone().into_bytes());
        *out = Box::into_raw(Box::new(store));
        Ok(OK)
    })
}

#[no_mangle]
pub unsafe extern "C" fn ar_store_free(store: *mut ArStore) {
    if !store.is_null() {
        drop(Box::from_raw(store));
    }
}

#[no_mangle]
pub extern "C" fn ar_store_set_fault(kind: c_int, nth: i64) {
    fault::set(kind, nth);
}

#[no_mangle]
pub extern "C" fn ar_store_fault_changes() -> i64 {
    fault::changes()
}

#[no_mangle]
pub unsafe extern "C" fn ar_store_counters(
    store: *const ArStore,
    requests: *mut i64,
    bytes_read: *mut i64,
    bytes_written: *mut i64,
) {
    let counters = &(&*store).store.counters;
    *requests = counters.requests.load(Ordering::Relaxed);
    *bytes_read = counters.bytes_read.load(Ordering::Relaxed);
    *bytes_written = counters.bytes_written.load(Ordering::Relaxed);
}

#[no_mangle]
pub unsafe extern "C" fn ar_store_count_read(store: *const ArStore, requests: i64, bytes: i64) {
    (&*store).store.counters.read(requests, bytes.max(0) as u64);
}

fn pack(into: &mut Packed, meta: &ObjectMeta) {
    into.text(meta.location.as_ref())
        .integer(meta.size as i64)
        .integer(meta.last_modified.timestamp_millis())
        .text(meta.e_tag.as_deref().unwrap_or_default());
}

fn packed(meta: &ObjectMeta) -> ArBytes {
    let mut into = Packed::default();
    pack(&mut into, meta);
    ArBytes::new(into.0)
}

#[no_mangle]
pub unsafe extern "C" fn ar_head(
    store: *const ArStore,
    path: *const c_char,
    out: *mut ArBytes,
    message: *mut *mut c_char,
) -> c_int {
    guard(message, || {
        let (store, path) = (&*store, text(path)?);
        let key = store.key(path)?;
        let meta = store.wait(store.store.head(&key)).map_err(|e| store.failure(path, e))?;
        *out = packed(&meta);
        Ok(OK)
    })
}

#[no_mangle]
pub unsafe extern "C" fn ar_file_meta(
    store: *const ArStore,
    path: *const c_char,
    file: c_int,
    out: *mut ArBytes,
    message: *mut *mut c_char,
) -> c_int {
    guard(message, || {
        let (store, path) = (&*store, text(path)?);
        let key = store.key(path)?;
        let file = ManuallyDrop::new(File::from_raw_fd(file));
        let metadata = file.metadata().map_err(|e| store.failure(path, error_at(&file_path(&key), e)))?;
        *out = packed(&meta_of(key, &metadata));
        Ok(OK)
    })
}

fn get(store: &ArStore, key: &Path) -> Result<(Vec<u8>, String), Error> {
    if store.local {
        let path = file_path(key);
        let (data, tag) = read_tagged(&path).map_err(|e| error_at(&path, e))?;
        store.store.counters.read(1, data.len() as u64);
        return Ok((data, tag));
    }
    store.wait(async {
        let got = store.store.get(key).await?;
        let tag = got.meta.e_tag.clone().unwrap_or_default();
        Ok((got.bytes().await?.into(), tag))
    })
}

#[no_mangle]
pub unsafe extern "C" fn ar_get(
    store: *const ArStore,
    path: *const c_char,
    out: *mut ArBytes,
    etag: *mut ArBytes,
    message: *mut *mut c_char,
) -> c_int {
    guard(message, || {
        let (store, path) = (&*store, text(path)?);
        let (data, tag) = get(store, &store.key(path)?).map_err(|e| store.failure(path, e))?;
        *out = ArBytes::new(data);
        *etag = ArBytes::new(tag.into_bytes());
        Ok(OK)
    })
}

#[no_mangle]
pub unsafe extern "C" fn ar_get_range(
    store: *const ArStore,
    path: *const c_char,
    offset: i64,
    length: i64,
    into: *mut u8,
    read: *mut i64,
    message: *mut *mut c_char,
) -> c_int {
    guard(message, || {
        let (store, path) = (&*store, text(path)?);
        let key = store.key(path)?;
        if offset < 0 || length < 0 {
            return Err(Failure::invalid(format!("{path}: a negative range was asked for")));
        }
        *read = 0;
        if length == 0 {
            return Ok(OK);
        }
        let range = GetRange::Bounded(offset as u64..(offset + length) as u64);
        let result: Result<Bytes, Error> = store.wait(async {
            let options = GetOptions { range: Some(range), ..Default::default() };
            store.store.get_opts(&key, options).await?.bytes().await
        });
        let data = match result {
            Ok(data) => data,
            Err(e @ Error::NotFound { .. }) => return Err(store.failure(path, e)),
            // A range that begins at or past the end is refused by some stores, empty in others.
            Err(e) => match store.wait(store.store.head(&key)) {
                Ok(meta) if offset as u64 >= meta.size => Bytes::new(),
                _ => return Err(store.failure(path, e)),
            },
        };
        let n = data.len().min(length as usize);
        std::ptr::copy_nonoverlapping(data.as_ptr(), into, n);
        *read = n as i64;
        Ok(OK)
    })
}

/// Stores answer a failed condition, and a race that they noticed, in several ways.
fn condition_failed(error: &Error) -> bool {
    match error {
        Error::AlreadyExists { .. } | Error::Precondition { .. } => true,
        Error::Generic { source, .. } => source.to_string().contains("ConditionalRequestConflict"),
        _ => false,
    }
}

unsafe fn put(
    store: *const ArStore,
    path: *const c_char,
    data: *const u8,
    size: usize,
    mode: PutMode,
    message: *mut *mut c_char,
) -> c_int {
    guard(message, || {
        let (store, path) = (&*store, text(path)?);
        let key = store.key(path)?;
        let payload = Bytes::copy_from_slice(slice(data, size)).into();
        let matching = matches!(mode, PutMode::Update(_));
        match store.wait(store.store.put_opts(&key, payload, PutOptions::from(mode))) {
            Ok(_) => Ok(OK),
            Err(e) if condition_failed(&e) => Ok(NOT_DONE),
            Err(Error::NotFound { .. }) if matching => Ok(NOT_DONE),
            Err(e) => Err(store.failure(path, e)),
        }
    })
}

#[no_mangle]
pub unsafe extern "C" fn ar_put(
    store: *const ArStore,
    path: *const c_char,
    data: *const u8,
    size: usize,
    message: *mut *mut c_char,
) -> c_int {
    put(store, path, data, size, PutMode::Overwrite, message)
}

#[no_mangle]
pub unsafe extern "C" fn ar_put_if_absent(
    store: *const ArStore,
    path: *const c_char,
    data: *const u8,
    size: usize,
    message: *mut *mut c_char,
) -> c_int {
    put(store, path, data, size, PutMode::Create, message)
}

#[no_mangle]
pub unsafe extern "C" fn ar_put_if_match(
    store: *const ArStore,
    path: *const c_char,
    data: *const u8,
    size: usize,
    etag: *const c_char,
    message: *mut *mut c_char,
) -> c_int {
    let Ok(etag) = text(etag) else { return guard(message, || Err(Failure::invalid("no etag"))) };
    let version = UpdateVersion { e_tag: Some(etag.to_string()), version: None };
    put(store, path, data, size, PutMode::Update(version), message)
}

fn folder_key(store: &ArStore, prefix: &str) -> Outcome<Option<Path>> {
    Ok(if prefix.is_empty() { None } else { Some(store.key(prefix)?) })
}

#[no_mangle]
pub unsafe extern "C" fn ar_list(
    store: *const ArStore,
    prefix: *const c_char,
    out: *mut ArBytes,
    message: *mut *mut c_char,
) -> c_int {
    guard(message, || {
        let (store, prefix) = (&*store, text(prefix)?);
        let key = folder_key(store, prefix)?;
        let mut found: Vec<ObjectMeta> =
            store.wait(store.store.list(key.as_ref()).try_collect()).map_err(|e| store.failure(prefix, e))?;
        found.sort_unstable_by(|a, b| a.location.cmp(&b.location));
        let mut packed = Packed::default();
        found.iter().for_each(|meta| pack(&mut packed, meta));
        *out = ArBytes::new(packed.0);
        Ok(OK)
    })
}

#[no_mangle]
pub unsafe extern "C" fn ar_list_names(
    store: *const ArStore,
    prefix: *const c_char,
    out: *mut ArBytes,
    message: *mut *mut c_char,
) -> c_int {
    guard(message, || {
        let (store, prefix) = (&*store, text(prefix)?);
        let key = folder_key(store, prefix)?;
        let listed = store
            .wait(store.store.list_with_delimiter(key.as_ref()))
            .map_err(|e| store.failure(prefix, e))?;
        let mut packed = Packed::default();
        for folder in &listed.common_prefixes {
            packed.text(&format!("{}/", folder.filename().unwrap_or_default()));
        }
        for object in &listed.objects {
            packed.text(object.location.filename().unwrap_or_default());
        }
        *out = ArBytes::new(packed.0);
        Ok(OK)
    })
}

#[no_mangle]
pub unsafe extern "C" fn ar_delete(
    store: *const ArStore,
    path: *const c_char,
    message: *mut *mut c_char,
) -> c_int {
    guard(message, || {
        let (store, path) = (&*store, text(path)?);
        let key = store.key(path)?;
        match store.wait(store.store.delete(&key)) {
            Ok(()) | Err(Error::NotFound { .. }) => Ok(OK),
            Err(e) => Err(store.failure(path, e)),
        }
    })
}

#[no_mangle]
pub unsafe extern "C" fn ar_delete_folder(
    store: *const ArStore,
    prefix: *const c_char,
    message: *mut *mut c_char,
) -> c_int {
    guard(message, || {
        let (store, prefix) = (&*store, text(prefix)?);
        let key = store.key(prefix)?;
        if key.as_ref().is_empty() {
            return Err(Failure::invalid("the root of a store is not deleted"));
        }
        let removed = store.wait(async {
            // Names first, so that no page of a listing shifts under the deletions.
            let found: Vec<_> = store.store.list(Some(&key)).map_ok(|m| m.location).try_collect().await?;
            let mut deleted = store.store.delete_stream(stream::iter(found).map(Ok).boxed());
            while let Some(result) = deleted.next().await {
                match result {
                    Ok(_) | Err(Error::NotFound { .. }) => {}
                    Err(e) => return Err(e),
                }
            }
            Ok(())
        });
        removed.map_err(|e| store.failure(prefix, e))?;
        if store.local {
            let path = file_path(&key);
            match disk::remove_folder(&path) {
                Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
                    return Err(store.failure(prefix, error_at(&path, e)));
                }
                _ => {}
            }
        }
        Ok(OK)
    })
}
