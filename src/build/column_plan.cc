#include "build/column_plan.h"

#include <utility>

#include <arrow/array/array_nested.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "index/auto_bloom.h"
#include "index/derived_column.h"
#include "source/parquet_source.h"

namespace ariadne::build {

bool ColumnPlan::can_filter() const { return keeps_values() && index::AutoBloom::Supports(*value); }

std::vector<ColumnPlan> PlanColumns(const std::vector<IndexedColumn>& columns,
                                    const arrow::Schema& schema) {
  std::vector<ColumnPlan> plans;
  for (const IndexedColumn& column : columns) {
    ColumnPlan plan{.declared = column};
    plan.value = index::ValueType(column, schema,
                                  [&plan](const std::string& expression, const arrow::Schema& of) {
                                    plan.expression = CompileComputed(expression, of);
                                    return plan.expression->type();
                                  });
    plan.timestamp = index::TimestampType(column, schema);
    switch (column.kind) {
      case IndexedColumn::Kind::kComputed:
        plan.reads = plan.expression->columns();
        break;
      case IndexedColumn::Kind::kExploded:
        plan.reads = {index::RootOfPath(column.array_column, schema)};
        break;
      case IndexedColumn::Kind::kTemporal: {
        plan.reads = {column.column};
        std::string root = index::RootOfPath(column.timestamp_column, schema);
        if (root != column.column) plan.reads.push_back(std::move(root));
        break;
      }
      case IndexedColumn::Kind::kRegular:
      case IndexedColumn::Kind::kBloom:
      case IndexedColumn::Kind::kRange:
        plan.reads = {column.column};
        break;
    }
    plans.push_back(std::move(plan));
  }
  return plans;
}

void ReadColumn(const ColumnPlan& plan, const source::ParquetSource& source,
                index::ColumnBuilder* builder) {
  const IndexedColumn& column = plan.declared;
  switch (column.kind) {
    case IndexedColumn::Kind::kComputed:
      return source.VisitRows(plan.reads, [&](const arrow::RecordBatch& rows) {
        builder->Add(*plan.expression->Evaluate(rows));
      });
    case IndexedColumn::Kind::kExploded:
      return source.VisitRows(plan.reads, [&](const arrow::RecordBatch& rows) {
        builder->Add(
            *index::ExplodedValues(*index::AtPath(rows, column.array_column), column.field_path));
      });
    case IndexedColumn::Kind::kTemporal: {
      const auto type = plan.entry_type();
      return source.VisitRows(plan.reads, [&](const arrow::RecordBatch& rows) {
        builder->Add(arrow::StructArray(
            type, rows.num_rows(),
            {rows.GetColumnByName(column.column), index::AtPath(rows, column.timestamp_column)}));
      });
    }
    case IndexedColumn::Kind::kRegular:
    case IndexedColumn::Kind::kBloom:
    case IndexedColumn::Kind::kRange:
      return source.VisitDistinct(column.column,
                                  [&](const arrow::Array& values) { builder->Add(values); });
  }
}

}  // namespace ariadne::build
