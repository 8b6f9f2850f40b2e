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

  /// Throws as query::LakeSnapshot::Take does, and UnsupportedColumn.
  explicit LakeTable(std::shared_ptr<const internal::IndexImpl> index);

  [[nodiscard]] const std::string& name() const { return index_->layout().name(); }
  [[nodiscard]] const internal::IndexImpl& index() const { return *index_; }
  [[nodiscard]] const query::LakeSnapshot& snapshot() const { return *snapshot_; }
  /// Those of the data files, in the order of the schema.
  [[nodiscard]] const std::vector<Column>& columns() const { return columns_; }
  /// Computed and exploded ones, which a query may name and `*` leaves out. One whose expression
  /// cannot be computed here is not among them.
  [[nodiscard]] const std::vector<Column>& derived() const { return derived_; }
  /// Keys of entities in several versions, of which the table shows the newest.
  [[nodiscard]] const std::vector<IndexedColumn>& temporal() const { return temporal_; }

  /// All columns that `*` leaves out: derived ones, and a row's file and place in it.
  [[nodiscard]] duckdb::virtual_column_map_t VirtualColumns() const;
  /// Place among `derived()` of the column that the engine numbers so.
  [[nodiscard]] std::optional<size_t> DerivedAt(duckdb::column_t id) const;
  /// The column with an index or without, of the data files or derived; nullptr for a row's place.
  [[nodiscard]] const Column* Find(duckdb::column_t id) const;
  /// Type of any column, by the engine's number.
  [[nodiscard]] duckdb::LogicalType TypeOf(duckdb::column_t id) const;

 private:
  std::shared_ptr<const internal::IndexImpl> index_;
  std::shared_ptr<const query::LakeSnapshot> snapshot_;
  std::vector<Column> columns_;
  std::vector<Column> derived_;
  std::vector<IndexedColumn> temporal_;
};

}  // namespace ariadne::sql
