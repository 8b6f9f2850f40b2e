#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include <arrow/type_fwd.h>

#include "ariadne/index.h"
#include "storage/layout.h"
#include "storage/metadata.h"
#include "storage/object_store.h"

namespace ariadne::build {

/// What an update works on. All outlive the call.
struct UpdateTarget {
  storage::IndexLayout layout;
  std::shared_ptr<storage::Stores> stores;
  Options options;
};

/// The whole of `Index::Update`: takes the update lock, finishes what an earlier run left in
/// staging, plans batches over the tracked files that are not in the main index (and over indexed
/// files that lack a column declared since), builds, stages and consolidates. Reads metadata and
/// file list itself. Throws as Index::Update.
UpdateReport Update(const UpdateTarget& target, const UpdateOptions& options);

/// What the metadata declares, in the order regular, bloom, range, computed, exploded, temporal.
std::vector<IndexedColumn> DeclaredColumns(const storage::IndexMetadata& metadata);

/// Exploded columns that main index and large indexes call by their array, as storage versions 1
/// and 2 do: name -> array. Empty from version 3 on. A table that has a column of the name itself
/// was written, or migrated, since. An array with an index of its own is left out: nothing says
/// what the values are of. Of several columns of one array the values are the first one's: those
/// versions could write no second one.
std::map<std::string, std::string> ExplodedNamedByArray(const storage::IndexMetadata& metadata);

/// Spark StructType JSON of the main index: filename, a column per index, the automatic filters,
/// file_size.
std::string MainIndexSchema(const storage::IndexMetadata& metadata, const arrow::Schema& schema);

}  // namespace ariadne::build
