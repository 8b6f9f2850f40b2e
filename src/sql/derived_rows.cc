#include "sql/derived_rows.h"

#include <algorithm>
#include <utility>

#include <arrow/type.h>

#include "build/computed_column.h"
#include "duckdb/common/multi_file/multi_file_reader.hpp"
#include "duckdb/function/function_binder.hpp"
#include "duckdb/planner/expression/bound_conjunction_expression.hpp"
#include "duckdb/planner/expression/bound_constant_expression.hpp"
#include "duckdb/planner/expression/bound_reference_expression.hpp"
#include "engine/spark_expression.h"
#include "index/derived_column.h"

namespace ariadne::sql {

namespace {

using duckdb::ColumnIndex;
using duckdb::Expression;
using duckdb::idx_t;
using ExpressionPtr = duckdb::unique_ptr<Expression>;

ExpressionPtr Constant(const std::string& text) {
  return duckdb::make_uniq<duckdb::BoundConstantExpression>(duckdb::Value(text));
}

}  // namespace

DerivedPlan::DerivedPlan(duckdb::ClientContext& context, const LakeTable& table,
                         const duckdb::TableFunctionInitInput& input,
                         const std::set<size_t>& exploded, const KeptRowsOfFiles* kept)
    : context_(context), table_(table), kept_(kept) {
  if (kept_) {
    using duckdb::MultiFileReader;
    file_place_ = PlaceOf(ColumnIndex(MultiFileReader::COLUMN_IDENTIFIER_FILE_INDEX));
    row_place_ = PlaceOf(ColumnIndex(MultiFileReader::COLUMN_IDENTIFIER_FILE_ROW_NUMBER));
  }
  std::map<size_t, size_t> exploded_at;
  for (const size_t place : exploded) {
    exploded_at[place] = AddExploded(table.derived()[place]);
  }
  for (const ColumnIndex& column : input.column_indexes) {
    const auto derived = table.DerivedAt(column.GetPrimaryIndex());
    if (!derived) {
      sources_.push_back({Source::Kind::kBase, PlaceOf(column)});
      types_.push_back(table.TypeOf(column.GetPrimaryIndex()));
      continue;
    }
    const LakeTable::Column& declared = table.derived()[*derived];
    types_.push_back(declared.type);
    if (declared.index->kind == IndexedColumn::Kind::kExploded) {
      if (!exploded_at.contains(*derived)) exploded_at[*derived] = AddExploded(declared);
      sources_.push_back({Source::Kind::kExploded, exploded_at[*derived]});
    } else {
      sources_.push_back({Source::Kind::kComputed, computed_.size()});
      computed_.push_back(ComputedExpression(*declared.index));
    }
  }
  if (input.filters) {
    for (const auto& [place, filter] : input.filters->filters) {
      if (sources_[place].kind == Source::Kind::kBase) {
        base_filters_.PushFilter(ColumnIndex(sources_[place].place), filter->Copy());
      } else if (filter->filter_type != duckdb::TableFilterType::OPTIONAL_FILTER) {
        const duckdb::BoundReferenceExpression column(types_[place], place);
        filters_.push_back(filter->ToExpression(column));
      }
    }
  }
  if (input.projection_ids.empty()) {
    for (size_t i = 0; i < sources_.size(); ++i) projection_.push_back(i);
  } else {
    projection_.assign(input.projection_ids.begin(), input.projection_ids.end());
  }
  // Where nothing is read, rows are counted all the same.
  if (base_.empty()) base_.emplace_back(duckdb::COLUMN_IDENTIFIER_EMPTY);
}

size_t DerivedPlan::PlaceOf(const ColumnIndex& column) {
  for (size_t i = 0; i < base_.size(); ++i) {
    if (base_[i].GetPrimaryIndex() != column.GetPrimaryIndex()) continue;
    // Some of its fields are asked for, or all: all are read.
    if (base_[i] != column) base_[i] = ColumnIndex(column.GetPrimaryIndex());
    return i;
  }
  base_.push_back(column);
  return base_.size() - 1;
}

size_t DerivedPlan::PlaceOfField(const std::string& name) {
  for (size_t i = 0; i < table_.columns().size(); ++i) {
    if (table_.columns()[i].name == name) return PlaceOf(ColumnIndex(i));
  }
  throw duckdb::BinderException("a derived column reads the column \"%s\", which is not there",
                                name);
}

ExpressionPtr DerivedPlan::Reference(size_t place) const {
  return duckdb::make_uniq<duckdb::BoundReferenceExpression>(
      table_.TypeOf(base_[place].GetPrimaryIndex()), place);
}

ExpressionPtr DerivedPlan::Call(const std::string& function,
                                duckdb::vector<ExpressionPtr> arguments) {
  duckdb::FunctionBinder binder(context_);
  duckdb::ErrorData error;
  auto call = binder.BindScalarFunction(DEFAULT_SCHEMA, function, std::move(arguments), error);
  if (!call) error.Throw();
  return call;
}

ExpressionPtr DerivedPlan::ComputedExpression(const IndexedColumn& column) {
  duckdb::vector<ExpressionPtr> fields;
  const auto compiled = build::CompileComputed(column.expression, *table_.index().schema());
  for (const std::string& name : compiled->columns()) {
    fields.push_back(Reference(PlaceOfField(name)));
    fields.back()->SetAlias(name);
  }
  // A row of no column is a struct of one that nothing reads.
  if (fields.empty()) {
    fields.push_back(Constant(""));
    fields.back()->SetAlias("_");
  }
  duckdb::vector<ExpressionPtr> arguments;
  arguments.push_back(Constant(column.expression));
  arguments.push_back(Call("struct_pack", std::move(fields)));
  return Call(engine::kSparkFunction, std::move(arguments));
}

ExpressionPtr DerivedPlan::FieldOf(ExpressionPtr value, std::string_view path) {
  while (!path.empty()) {
    const size_t dot = path.find('.');
    duckdb::vector<ExpressionPtr> arguments;
    arguments.push_back(std::move(value));
    arguments.push_back(Constant(std::string(path.substr(0, dot))));
    value = Call("struct_extract", std::move(arguments));
    path = dot == std::string_view::npos ? std::string_view() : path.substr(dot + 1);
  }
  return value;
}

size_t DerivedPlan::AddExploded(const LakeTable::Column& column) {
  const std::string& path = column.index->array_column;
  const std::string root = index::RootOfPath(path, *table_.index().schema());
  auto array = FieldOf(Reference(PlaceOfField(root)),
                       path.size() == root.size() ? std::string_view()
                                                  : std::string_view(path).substr(root.size() + 1));
  const auto element = duckdb::ListType::GetChildType(array->return_type);
  elements_.push_back(FieldOf(duckdb::make_uniq<duckdb::BoundReferenceExpression>(element, 0),
                              column.index->field_path));
  arrays_.push_back(std::move(array));
  return arrays_.size() - 1;
}

DerivedRows::DerivedRows(duckdb::ClientContext& context, const DerivedPlan& plan)
    : context_(context), plan_(plan), computed_(context), arrays_(context) {
  auto& allocator = duckdb::Allocator::Get(context);
  duckdb::vector<duckdb::LogicalType> base_types;
  for (const ColumnIndex& column : plan.base_) {
    base_types.push_back(plan.table_.TypeOf(column.GetPrimaryIndex()));
  }
  base_.Initialize(allocator, base_types);
  duckdb::vector<duckdb::LogicalType> types;
  for (const auto& expression : plan.computed_) {
    computed_.AddExpression(*expression);
    types.push_back(expression->return_type);
  }
  if (!types.empty()) computed_values_.Initialize(allocator, types);
  types.clear();
  for (const auto& expression : plan.arrays_) {
    arrays_.AddExpression(*expression);
    types.push_back(expression->return_type);
  }
  if (!types.empty()) array_values_.Initialize(allocator, types);
  for (const auto& expression : plan.elements_) {
    elements_.push_back(duckdb::make_uniq<duckdb::ExpressionExecutor>(context, *expression));
  }
  rows_.Initialize(allocator, plan.types_);
  for (const auto& filter : plan.filters_) {
    filters_.push_back(duckdb::make_uniq<duckdb::ExpressionExecutor>(context, *filter));
  }
}

void DerivedRows::KeepRows() {
  duckdb::UnifiedVectorFormat files;
  duckdb::UnifiedVectorFormat rows;
  base_.data[plan_.file_place_].ToUnifiedFormat(base_.size(), files);
  base_.data[plan_.row_place_].ToUnifiedFormat(base_.size(), rows);
  const auto* file = duckdb::UnifiedVectorFormat::GetData<uint64_t>(files);
  const auto* row = duckdb::UnifiedVectorFormat::GetData<int64_t>(rows);
  duckdb::SelectionVector selected(STANDARD_VECTOR_SIZE);
  idx_t count = 0;
  for (idx_t i = 0; i < base_.size(); ++i) {
    const auto& kept = (*plan_.kept_)[file[files.sel->get_index(i)]];
    if (kept && kept->Holds(row[rows.sel->get_index(i)])) selected.set_index(count++, i);
  }
  if (count < base_.size()) base_.Slice(selected, count);
}

void DerivedRows::Take() {
  row_ = combination_ = 0;
  if (plan_.kept_) KeepRows();
  taken_ = base_.size() > 0;
  if (!taken_) return;
  if (!plan_.computed_.empty()) {
    computed_values_.Reset();
    computed_.Execute(base_, computed_values_);
  }
  if (plan_.arrays_.empty()) return;
  array_values_.Reset();
  arrays_.Execute(base_, array_values_);
  array_formats_.clear();
  array_formats_.resize(plan_.arrays_.size());
  for (size_t i = 0; i < plan_.arrays_.size(); ++i) {
    array_values_.data[i].ToUnifiedFormat(base_.size(), array_formats_[i]);
  }
}

bool DerivedRows::Next(duckdb::DataChunk& output) {
  while (taken_) {
    rows_.Reset();
    taken_ = Expand();
    const auto count = SelectRows();
    if (count == 0) continue;
    for (size_t i = 0; i < plan_.projection_.size(); ++i) {
      output.data[i].Reference(rows_.data[plan_.projection_[i]]);
    }
    output.SetCardinality(count);
    return true;
  }
  return false;
}

// Fills `rows_` with the next rows; false if they are the last of what was taken.
bool DerivedRows::Expand() {
  const size_t arrays = plan_.arrays_.size();
  duckdb::SelectionVector row_of(STANDARD_VECTOR_SIZE);
  std::vector<duckdb::SelectionVector> element_of;
  for (size_t i = 0; i < arrays; ++i) element_of.emplace_back(STANDARD_VECTOR_SIZE);
  idx_t count = 0;
  while (count < STANDARD_VECTOR_SIZE && row_ < base_.size()) {
    idx_t combinations = 1;
    std::vector<duckdb::list_entry_t> entries(arrays);
    for (size_t i = 0; i < arrays; ++i) {
      const auto& format = array_formats_[i];
      const auto at = format.sel->get_index(row_);
      if (format.validity.RowIsValid(at)) {
        entries[i] = duckdb::UnifiedVectorFormat::GetData<duckdb::list_entry_t>(format)[at];
      }
      combinations *= entries[i].length;
    }
    for (; combination_ < combinations && count < STANDARD_VECTOR_SIZE; ++combination_, ++count) {
      row_of.set_index(count, row_);
      idx_t rest = combination_;
      for (size_t i = 0; i < arrays; ++i) {
        element_of[i].set_index(count, entries[i].offset + rest % entries[i].length);
        rest /= entries[i].length;
      }
    }
    if (combination_ < combinations) break;
    combination_ = 0;
    ++row_;
  }
  std::vector<duckdb::DataChunk> elements(arrays);
  for (size_t i = 0; i < arrays && count > 0; ++i) {
    auto& all = duckdb::ListVector::GetEntry(array_values_.data[i]);
    duckdb::DataChunk chosen;
    chosen.InitializeEmpty({all.GetType()});
    chosen.data[0].Slice(all, element_of[i], count);
    chosen.SetCardinality(count);
    elements[i].Initialize(duckdb::Allocator::Get(context_), {plan_.elements_[i]->return_type});
    elements_[i]->Execute(chosen, elements[i]);
    elements[i].SetCardinality(count);
  }
  for (size_t i = 0; i < plan_.sources_.size() && count > 0; ++i) {
    const auto& source = plan_.sources_[i];
    switch (source.kind) {
      case DerivedPlan::Source::Kind::kBase:
        rows_.data[i].Slice(base_.data[source.place], row_of, count);
        break;
      case DerivedPlan::Source::Kind::kComputed:
        rows_.data[i].Slice(computed_values_.data[source.place], row_of, count);
        break;
      case DerivedPlan::Source::Kind::kExploded:
        rows_.data[i].Reference(elements[source.place].data[0]);
        break;
    }
  }
  rows_.SetCardinality(count);
  return row_ < base_.size();
}

idx_t DerivedRows::SelectRows() {
  for (const auto& filter : filters_) {
    if (rows_.size() == 0) break;
    // A slice keeps a reference to its selection: each has one of its own.
    duckdb::SelectionVector selected(STANDARD_VECTOR_SIZE);
    const auto count = filter->SelectExpression(rows_, selected);
    if (count < rows_.size()) rows_.Slice(selected, count);
  }
  return rows_.size();
}

}  // namespace ariadne::sql
