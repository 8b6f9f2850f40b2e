#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <arrow/type_fwd.h>

#include "ariadne/options.h"
#include "build/deleted_rows.h"
#include "build/update.h"

namespace ariadne::build {

/// A Delta table that is the lake, as its log has it: files of its history lie beside the live
/// ones.
struct DeltaLake {
  std::vector<std::string> uris;  ///< Of the live files.
  DeletedRows deleted;
};

/// `lake`: the table's folder. nullopt where it is no Delta table. Throws SchemaMismatch where the
/// index reads a column under another name than that under which the table's files hold it,
/// InvalidDeltaTable where values are in the log alone, StorageError.
std::optional<DeltaLake> ReadDeltaLake(const UpdateTarget& target, const std::string& lake);

/// Schema of the Delta table in a folder, the names that its files have in the fields' metadata;
/// nullptr where it is no Delta table. Throws InvalidDeltaTable, StorageError.
std::shared_ptr<arrow::Schema> DeltaLakeSchema(const std::string& lake,
                                               const storage::Stores& stores,
                                               const std::vector<PathMapping>& path_map);

}  // namespace ariadne::build
