#pragma once

// Includes the engine's headers: for the sources of this part only.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ariadne/index.h"
#include "duckdb/common/table_column.hpp"
#include "duckdb/common/types.hpp"
#include "query/index_state.h"
#include "query/lake_snapshot.h"

namespace ariadne::sql {

/// An index as SQL sees it, at one moment: a table with the columns of the data files. Immutable.
class LakeTable {
 public:
  struct Column {
    std::string name;
    duckdb::LogicalType type;
    /// The index on it; nullopt: none.
    std::optional<IndexedColumn> index;
    std::shared_ptr<arrow::DataType> arrow_type;
  };

  /// Throws as query::LakeSnapshot::Take does, and UnsupportedColumn, SchemaMismatch where two
  /// columns differ by case only.
  explicit LakeTable(std::shared_ptr<const internal::IndexImpl> index);

  [[nodiscard]] const std::string& name() const { return index_->layout().name(); }
  [[nodiscard]] const internal::IndexImpl& index() const { return *index_; }
  [[nodiscard]] const query::LakeSnapshot& snapshot() const { return *snapshot_; }
  /// Those of the data files, in the order of the schema.
  [[nodiscard]] const std::vector<Column>& columns() const { return columns_; }

 private:
  std::shared_ptr<const internal::IndexImpl> index_;
  std::shared_ptr<const query::LakeSnapshot> snapshot_;
  std::vector<Column> columns_;
};

}  // namespace ariadne::sql
