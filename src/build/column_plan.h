#pragma once

#include <memory>
#include <string>
#include <vector>

#include <arrow/type_fwd.h>

#include "ariadne/index.h"
#include "build/computed_column.h"
#include "index/column_index.h"
#include "source/data_file.h"

namespace ariadne::build {

/// A declared column and what building it needs to know.
struct ColumnPlan {
  IndexedColumn declared;
  std::shared_ptr<arrow::DataType> value;
  std::shared_ptr<arrow::DataType> timestamp;        ///< For kTemporal only.
  std::shared_ptr<const ComputedColumn> expression;  ///< For kComputed only.
  /// Top-level columns of the data files that are read.
  std::vector<std::string> reads;
  source::ElementPath elements;  ///< For kExploded only.

  [[nodiscard]] bool keeps_values() const { return index::KeepsValues(declared.kind); }
  /// Its files have filters from the first large one on.
  [[nodiscard]] bool can_filter() const;
  [[nodiscard]] std::shared_ptr<arrow::DataType> entry_type() const {
    return index::EntryType(declared, value, timestamp);
  }
  [[nodiscard]] std::shared_ptr<arrow::DataType> storage_type() const {
    return index::StorageType(declared, value, timestamp);
  }
};

/// Throws ColumnNotFound, UnsupportedColumn.
std::vector<ColumnPlan> PlanColumns(const std::vector<IndexedColumn>& columns,
                                    const arrow::Schema& schema);

/// A column to read and who takes what the file holds in it.
struct ColumnReading {
  const ColumnPlan* plan = nullptr;
  index::ColumnBuilder* builder = nullptr;
};
/// Gives each builder what the file holds in its column: distinct values where those alone count,
/// else row by row; a file that is read row by row anyway is read once for all of them. Throws
/// InvalidFile, StorageError.
void ReadColumns(const std::vector<ColumnReading>& columns, const source::DataFile& file);

}  // namespace ariadne::build
