#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <arrow/type_fwd.h>

#include "ariadne/index.h"
#include "test_lake.h"

namespace ariadne::testing {

/// Rows for the kinds of index whose values are derived, versioned or many.
///
/// id bigint, s string, d double, bin binary, key string, ts timestamp, ver bigint, meta
/// struct<at: timestamp, deep: struct<n: bigint>>, tags array<struct<k: string, p: struct<q:
/// int>>>, nums array<bigint>
std::shared_ptr<arrow::Schema> KindsSchema();
/// `spread`: how many values there are to choose from.
std::shared_ptr<arrow::Table> RandomKinds(std::mt19937* random, int64_t rows, int64_t spread);

IndexedColumn Regular(const std::string& column);
IndexedColumn Bloom(const std::string& column);
IndexedColumn Range(const std::string& column);
/// `concat(s, '!')`, the one expression whose values are known here.
IndexedColumn Computed(const std::string& name);
IndexedColumn Temporal(const std::string& column, const std::string& timestamp);
IndexedColumn Exploded(const std::string& name, const std::string& array, const std::string& path);

/// Replaces the declarations of the lake's index (and keeps the rest of its metadata).
void DeclareKinds(TestLake* lake, const std::vector<IndexedColumn>& columns);

/// All values of a column in a file, as the index counts them: repeated ones and NULL too.
std::shared_ptr<arrow::Array> ColumnValues(const IndexedColumn& column, const arrow::Table& rows);

/// Checks the whole index against brute force over the files: each file's values of each column
/// stand in the main index or, from `limit` distinct ones on, in the column's large table, never in
/// both; from the first large file of a column on all files have filters that hold their values,
/// and the metadata says so.
void CheckKinds(const TestLake& lake,
                const std::map<std::string, std::shared_ptr<arrow::Table>>& files, int64_t limit);
/// Checks, in whatever state the index is, that a file's values are where a query looks for them:
/// no cell and no filter denies one.
void CheckKindsThatAreThere(const TestLake& lake,
                            const std::map<std::string, std::shared_ptr<arrow::Table>>& files);

}  // namespace ariadne::testing
