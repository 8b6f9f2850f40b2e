//! What a reader of its own has to know of a snapshot's files: where they are, what the log says of
//! their partitions, and which rows a deletion vector takes away.
use std::ffi::{c_char, c_int};

use delta_kernel::scan::state::ScanFile;
use delta_kernel::KernelError;

use crate::ffi::{guard, ArBytes, Outcome, OK};
use crate::packed::Packed;
use crate::table::{relative, ArTable};

fn pack_file(table: &ArTable, file: ScanFile, packed: &mut Packed) -> Outcome<()> {
    let deleted = file
        .dv_info
        .get_row_indexes(table.engine.as_ref(), table.snapshot.table_root())
        .map_err(|e| table.failure("deletion vector", e))?
        .unwrap_or_default();
    packed.text(&relative(&file.path, &table.url)?).integer(file.size);
    packed.integer(file.partition_values.len() as i64);
    for (column, value) in &file.partition_values {
        packed.text(column).text(value);
    }
    packed.integer(deleted.len() as i64);
    for row in deleted {
        packed.integer(row as i64);
    }
    Ok(())
}

#[no_mangle]
pub unsafe extern "C" fn ar_table_scan_files(
    table: *const ArTable,
    out: *mut ArBytes,
    message: *mut *mut c_char,
) -> c_int {
    guard(message, || {
        let table = &*table;
        let failed = |e: KernelError| table.failure("files", e);
        let scan = table.snapshot.clone().scan_builder().build().map_err(failed)?;
        let mut files = Vec::new();
        for found in scan.scan_metadata(table.engine.as_ref()).map_err(failed)? {
            let keep = |files: &mut Vec<ScanFile>, file: ScanFile| files.push(file);
            files = found.map_err(failed)?.visit_scan_files(files, keep).map_err(failed)?;
        }
        let mut packed = Packed::default();
        for file in files {
            pack_file(table, file, &mut packed)?;
        }
        *out = ArBytes::new(packed.0);
        Ok(OK)
    })
}
