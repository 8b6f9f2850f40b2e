#include "build/column_plan.h"

#include <algorithm>
#include <utility>

#include <arrow/array/array_nested.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "index/auto_bloom.h"
#include "index/derived_column.h"
#include "source/data_file.h"

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
        plan.elements = index::PathOfElements(column, schema);
        plan.reads = {plan.elements.column};
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

namespace {

/// The distinct values of the column are all that its builder needs.
bool NeedsDistinctOnly(IndexedColumn::Kind kind) {
  return kind == IndexedColumn::Kind::kRegular || kind == IndexedColumn::Kind::kBloom ||
         kind == IndexedColumn::Kind::kRange;
}

/// `rows`: of the plan's `reads`.
void AddRows(const ColumnReading& reading, const arrow::RecordBatch& rows) {
  const ColumnPlan& plan = *reading.plan;
  const IndexedColumn& column = plan.declared;
  switch (column.kind) {
    case IndexedColumn::Kind::kComputed:
      return reading.builder->Add(*plan.expression->Evaluate(rows));
    case IndexedColumn::Kind::kExploded:
      return reading.builder->Add(
          *index::ExplodedValues(*index::AtPath(rows, column.array_column), column.field_path));
    case IndexedColumn::Kind::kTemporal:
      return reading.builder->Add(arrow::StructArray(
          plan.entry_type(), rows.num_rows(),
          {rows.GetColumnByName(column.column), index::AtPath(rows, column.timestamp_column)}));
    case IndexedColumn::Kind::kRegular:
    case IndexedColumn::Kind::kBloom:
    case IndexedColumn::Kind::kRange:
      return reading.builder->Add(*rows.column(0));
  }
}

void ReadTogether(const std::vector<ColumnReading>& columns, const source::DataFile& file) {
  std::vector<std::string> read;
  std::vector<std::vector<int>> places;  // Of each column's `reads` among `read`.
  for (const ColumnReading& column : columns) {
    std::vector<int>& of_column = places.emplace_back();
    for (const std::string& name : column.plan->reads) {
      const auto found = std::find(read.begin(), read.end(), name);
      of_column.push_back(static_cast<int>(found - read.begin()));
      if (found == read.end()) read.push_back(name);
    }
  }
  file.VisitRows(read, [&](const arrow::RecordBatch& rows) {
    for (size_t i = 0; i < columns.size(); ++i) {
      arrow::ArrayVector arrays;
      arrow::FieldVector fields;
      for (const int place : places[i]) {
        arrays.push_back(rows.column(place));
        fields.push_back(rows.schema()->field(place));
      }
      AddRows(columns[i], *arrow::RecordBatch::Make(arrow::schema(std::move(fields)),
                                                    rows.num_rows(), std::move(arrays)));
    }
  });
}

}  // namespace

void ReadColumns(const std::vector<ColumnReading>& columns, const source::DataFile& file) {
  if (file.reads_whole_rows()) return ReadTogether(columns, file);
  for (const ColumnReading& column : columns) {
    const auto add = [&](const arrow::Array& values) { column.builder->Add(values); };
    if (NeedsDistinctOnly(column.plan->declared.kind)) {
      file.VisitDistinct(column.plan->declared.column, add);
    } else if (column.plan->declared.kind != IndexedColumn::Kind::kExploded ||
               !file.VisitDistinctElements(column.plan->elements, column.plan->value, add)) {
      file.VisitRows(column.plan->reads,
                     [&](const arrow::RecordBatch& rows) { AddRows(column, rows); });
    }
  }
}

}  // namespace ariadne::build
