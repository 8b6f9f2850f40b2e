#pragma once

#include <cstdint>
#include <memory>

#include "rowgroup/index_key.h"

namespace ariadne::rowgroup {
class IndexStore;
}
namespace ariadne::storage {
class Stores;
}

namespace ariadne::scan {

class FileOutlines;
std::shared_ptr<FileOutlines> NewFileOutlines();

/// How scans use and build row-group indexes. Whatever is in the store is asked.
struct RowGroupIndexing {
  std::shared_ptr<rowgroup::IndexStore> store;
  std::shared_ptr<const storage::Stores> stores;  ///< Tells which bytes a file holds.
  rowgroup::Kinds columns;      ///< Built of columns that a filter compares with constants.
  bool expressions = false;     ///< Built of expressions that a filter compares with constants.
  double rate = 0.0001;         ///< Of false positives of the filters built.
  int64_t min_table_bytes = 0;  ///< Nothing is built of smaller sets of files.
  /// Of the files that were read.
  std::shared_ptr<FileOutlines> outlines = NewFileOutlines();
};

}  // namespace ariadne::scan
