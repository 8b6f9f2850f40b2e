#pragma once

#include <memory>
#include <random>
#include <string>

#include <arrow/type_fwd.h>

#include "temp_lake.h"

namespace ariadne::engine {

/// A file set with random contents, and the same rows held in memory.
struct RandomFiles {
  std::shared_ptr<scan::FileSet> files;
  std::shared_ptr<arrow::Table> truth;
};

/// Files that store their rows in any way that reads as the declared schema: columns missing or
/// narrower, other logical types for the same values, columns in another order, names in another
/// case, few rows a row group, partition folders, awkward names.
RandomFiles MakeRandomFiles(const TempLake& lake, std::mt19937& random);

/// A predicate in SQL over the columns of these files.
std::string RandomPredicate(std::mt19937& random);

}  // namespace ariadne::engine
