#pragma once

// Includes the engine's headers: for the sources of this part only.

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "duckdb/common/column_index.hpp"
#include "duckdb/common/types/data_chunk.hpp"
#include "duckdb/execution/expression_executor.hpp"
#include "duckdb/function/table_function.hpp"
#include "duckdb/planner/table_filter.hpp"
#include "scan/kept_rows.h"
#include "sql/lake_table.h"

namespace ariadne::sql {

/// What a scan with computed or exploded columns reads of the files, and how rows come of it: a row
/// is repeated for each element of the arrays that are exploded, each with each, and is dropped
/// where one of them is empty or NULL. Shared by the threads of a scan.
class DerivedPlan {
 public:
  using KeptRowsOfFiles = std::vector<std::shared_ptr<const scan::KeptRows>>;

  /// `exploded`: places of the derived columns that the query named, whether it still wants their
  /// values or not. `kept`: of each file the rows that are given, nullptr: all; outlives the plan.
  /// Throws the engine's errors.
  DerivedPlan(duckdb::ClientContext& context, const LakeTable& table,
              const duckdb::TableFunctionInitInput& input, const std::set<size_t>& exploded,
              const KeptRowsOfFiles* kept);

  /// What is read of the files, all of it given on, in this order.
  [[nodiscard]] const duckdb::vector<duckdb::ColumnIndex>& base_columns() const { return base_; }
  /// The scan's filters on them, by place.
  [[nodiscard]] duckdb::TableFilterSet& base_filters() { return base_filters_; }

 private:
  friend class DerivedRows;

  /// Where a column of the scan comes from.
  struct Source {
    enum class Kind { kBase, kComputed, kExploded };
    Kind kind = Kind::kBase;
    size_t place = 0;
  };

  size_t PlaceOf(const duckdb::ColumnIndex& column);
  size_t PlaceOfField(const std::string& name);
  duckdb::unique_ptr<duckdb::Expression> Reference(size_t place) const;
  duckdb::unique_ptr<duckdb::Expression> ComputedExpression(const IndexedColumn& column);
  size_t AddExploded(const LakeTable::Column& column);
  duckdb::unique_ptr<duckdb::Expression> FieldOf(duckdb::unique_ptr<duckdb::Expression> value,
                                                 std::string_view path);
  duckdb::unique_ptr<duckdb::Expression> Call(
      const std::string& function,
      duckdb::vector<duckdb::unique_ptr<duckdb::Expression>> arguments);

  duckdb::ClientContext& context_;
  const LakeTable& table_;
  duckdb::vector<duckdb::ColumnIndex> base_;
  duckdb::TableFilterSet base_filters_;
  std::vector<Source> sources_;  // a column of the scan each
  duckdb::vector<duckdb::LogicalType> types_;
  std::vector<duckdb::unique_ptr<duckdb::Expression>> computed_;  // over rows of the files
  std::vector<duckdb::unique_ptr<duckdb::Expression>> arrays_;    // over rows of the files
  std::vector<duckdb::unique_ptr<duckdb::Expression>> elements_;  // over a chunk of elements alone
  std::vector<duckdb::unique_ptr<duckdb::Expression>> filters_;   // over rows of the scan
  std::vector<duckdb::idx_t> projection_;
  const KeptRowsOfFiles* kept_;
  size_t file_place_ = 0;  // of the columns that say where a row is, where rows are kept
  size_t row_place_ = 0;
};

/// The rows of one thread.
class DerivedRows {
 public:
  DerivedRows(duckdb::ClientContext& context, const DerivedPlan& plan);

  /// Rows of the files are read into this and given to Take.
  duckdb::DataChunk& base() { return base_; }
  void Take();
  /// The next rows of what was taken; false when there are no more.
  bool Next(duckdb::DataChunk& output);

 private:
  void KeepRows();
  bool Expand();
  duckdb::idx_t SelectRows();

  duckdb::ClientContext& context_;
  const DerivedPlan& plan_;
  duckdb::ExpressionExecutor computed_;
  duckdb::ExpressionExecutor arrays_;
  std::vector<duckdb::unique_ptr<duckdb::ExpressionExecutor>> elements_;
  std::vector<duckdb::unique_ptr<duckdb::ExpressionExecutor>> filters_;
  duckdb::DataChunk base_;
  duckdb::DataChunk computed_values_;
  duckdb::DataChunk array_values_;
  std::vector<duckdb::UnifiedVectorFormat> array_formats_;
  duckdb::DataChunk rows_;
  duckdb::idx_t row_ = 0;          // of `base_` that is being expanded
  duckdb::idx_t combination_ = 0;  // of its elements that comes next
  bool taken_ = false;
};

}  // namespace ariadne::sql
