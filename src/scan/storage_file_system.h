#pragma once

#include <memory>

#include <arrow/io/type_fwd.h>

#include "storage/object_store.h"

namespace duckdb {
class DatabaseInstance;
struct FileHandle;
}  // namespace duckdb

namespace ariadne::scan {

/// Which URLs a mounted storage reads.
enum class UrlsRead {
  kAll,
  /// In a database of somebody else: not those of buckets once an extension is loaded that has
  /// them.
  kOfNoExtension
};

/// Makes the database read URLs (`file:///`, `s3://`, `gs://`, `az://`, …) through `stores`, by
/// ranges. Names are decoded URLs and taken as they are: no globs. It only reads.
void MountStorage(duckdb::DatabaseInstance& database, std::shared_ptr<const storage::Stores> stores,
                  UrlsRead urls = UrlsRead::kAll);

/// What a mounted storage has opened on a local disk; nullptr: the file is elsewhere, or another
/// file system's.
const arrow::io::RandomAccessFile* LocalInputOf(const duckdb::FileHandle& handle);

}  // namespace ariadne::scan
