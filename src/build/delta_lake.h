#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <arrow/type_fwd.h>

#include "ariadne/options.h"
#include "build/logged_files.h"
#include "build/update.h"
#include "storage/delta_scan.h"

namespace ariadne::build {

/// A Delta table that is the lake, as its log has it: files of its history lie beside the live
/// ones.
struct DeltaLake {
  std::vector<std::string> uris;  ///< Of the live files.
  LoggedFiles logged;
};

/// `lake`: the table's folder. nullopt where it is no Delta table. Throws SchemaMismatch where the
/// index reads a column under another name than that under which the table's files hold it,
/// InvalidDeltaTable, StorageError.
std::optional<DeltaLake> ReadDeltaLake(const UpdateTarget& target, const std::string& lake);

/// What the log gives to the partition columns of a file; `schema`: of the table.
LoggedValues LoggedValuesOf(const storage::DeltaScan& table, const storage::DeltaScanFile& file,
                            const arrow::Schema& schema);

/// Schema of the Delta table in a folder, the names that its files have in the fields' metadata;
/// nullptr where it is no Delta table. Throws InvalidDeltaTable, StorageError.
std::shared_ptr<arrow::Schema> DeltaLakeSchema(const std::string& lake,
                                               const storage::Stores& stores,
                                               const std::vector<PathMapping>& path_map);

}  // namespace ariadne::build
