#pragma once

#include <memory>

#include "storage/object_store.h"

namespace duckdb {
class DatabaseInstance;
}

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

}  // namespace ariadne::scan
