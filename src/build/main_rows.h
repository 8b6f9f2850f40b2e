#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "storage/delta_table.h"

namespace ariadne::build {

/// A row of the main index: which data file of the table holds it, and where.
struct RowPlace {
  int32_t file = 0;  ///< Place in `DeltaTable::files()`.
  int64_t row = 0;
};

/// Rows of the main index by the canonical URI of the file that they describe. The JVM library
/// spells one file in several ways and then has a row for each.
using MainRows = std::unordered_map<std::string, std::vector<RowPlace>>;

/// Reads the filename column. Throws InvalidDeltaTable where data files cannot be read one by one
/// as plain Parquet, InvalidFile, StorageError.
MainRows LoadMainRows(const storage::DeltaTable& main);

/// The canonical form of a stored name; the name itself where it has none.
std::string CanonicalOrSame(const std::string& stored);

/// Throws InvalidDeltaTable where the table is not plain, saying what to do.
void CheckPlain(const storage::DeltaTable& table);

/// Sum of the main index's file_size column over all rows, in bytes; -1 where a size is missing.
int64_t SumFileSizes(const storage::DeltaTable& main);

}  // namespace ariadne::build
