#include "scan/row_group_observer.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <utility>

#include "duckdb/common/multi_file/multi_file_data.hpp"
#include "duckdb/execution/expression_executor.hpp"
#include "duckdb/planner/expression/bound_function_expression.hpp"
#include "duckdb/planner/expression/bound_reference_expression.hpp"
#include "duckdb/planner/filter/constant_filter.hpp"
#include "duckdb/planner/filter/expression_filter.hpp"
#include "duckdb/planner/table_filter_state.hpp"
#include "duckdb/storage/table/column_segment.hpp"
#include "reader/struct_column_reader.hpp"
#include "scan/filter_predicates.h"
#include "scan/index_values.h"

namespace ariadne::scan {

namespace {

using duckdb::DataChunk;
using duckdb::idx_t;
using duckdb::LogicalType;
using duckdb::SelectionVector;
using duckdb::TableFilter;
using duckdb::Vector;
using rowgroup::RowGroupBuild;

/// Rows that are in both, in order; either without entries means the first rows.
void Intersect(SelectionVector& rows, idx_t& count, const SelectionVector& others,
               idx_t other_count) {
  SelectionVector both(std::max<idx_t>(1, std::min(count, other_count)));
  idx_t kept = 0;
  for (idx_t i = 0, j = 0; i < count && j < other_count;) {
    const auto left = rows.get_index(i);
    const auto right = others.get_index(j);
    if (left == right) both.set_index(kept++, left);
    i += left <= right ? 1 : 0;
    j += right <= left ? 1 : 0;
  }
  rows.Initialize(both);
  count = kept;
}

/// The engine filters a dictionary in parts, each behind a selection of all of its rows in order:
/// what lies behind that, which is faster to go through.
Vector& Unselected(Vector& vector, idx_t count) {
  if (vector.GetVectorType() != duckdb::VectorType::DICTIONARY_VECTOR ||
      !duckdb::DictionaryVector::DictionaryId(vector).empty()) {
    return vector;
  }
  Vector& child = duckdb::DictionaryVector::Child(vector);
  if (child.GetVectorType() != duckdb::VectorType::FLAT_VECTOR) return vector;
  static const auto all = [] {
    std::array<duckdb::sel_t, STANDARD_VECTOR_SIZE> rows;
    std::iota(rows.begin(), rows.end(), 0);
    return rows;
  }();
  const auto* rows = duckdb::DictionaryVector::SelVector(vector).data();
  if (!rows) return child;
  return count <= all.size() && std::equal(rows, rows + count, all.begin()) ? child : vector;
}

const duckdb_parquet::ColumnMetaData* ChunkOf(const duckdb_parquet::RowGroup& group,
                                              const duckdb::ParquetColumnSchema& schema) {
  if (schema.column_index >= group.columns.size()) return nullptr;
  return &group.columns[schema.column_index].meta_data;
}

bool HasDictionary(const duckdb_parquet::ColumnMetaData& chunk) {
  return chunk.__isset.dictionary_page_offset ||
         std::any_of(chunk.encodings.begin(), chunk.encodings.end(), [](auto encoding) {
           return encoding == duckdb_parquet::Encoding::PLAIN_DICTIONARY ||
                  encoding == duckdb_parquet::Encoding::RLE_DICTIONARY;
         });
}

}  // namespace

/// One column of the reader: sees its values and applies its filter.
class ColumnObserver {
 public:
  ColumnObserver(duckdb::ClientContext& context, idx_t local, LogicalType type, bool no_nulls,
                 bool has_dictionary, int64_t rows)
      : context_(context),
        local_(local),
        type_(std::move(type)),
        null_(duckdb::Value(type_)),
        no_nulls_(no_nulls),
        has_dictionary_(has_dictionary),
        rows_(rows) {}

  [[nodiscard]] idx_t local() const { return local_; }

  /// `predicate`: nullptr for the column's own values.
  void Add(std::unique_ptr<RowGroupBuild> build, const ExpressionPredicate* predicate) {
    Values values;
    values.build = std::move(build);
    if (predicate) {
      values.executor =
          duckdb::make_uniq<duckdb::ExpressionExecutor>(context_, *predicate->expression);
      values.type = predicate->expression->return_type;
    }
    values_.push_back(std::move(values));
  }

  /// The filter of the reader, wrapped: what it is asked about is seen first.
  void Wrap(const TableFilter& filter) {
    duckdb::unique_ptr<duckdb::Expression> condition;
    if (filter.filter_type == duckdb::TableFilterType::CONSTANT_COMPARISON) {
      // It names the column once, and the engine compares at full speed.
      SeekEqual(filter.Cast<duckdb::ConstantFilter>());
      condition = filter.ToExpression(
          *Observing(type_, [this](DataChunk& given, duckdb::ExpressionState&, Vector& result) {
            Vector& values = Unselected(given.data[0], given.size());
            const bool may_pass = See(values, given.size());
            result.Reference(may_pass ? values : null_);
          }));
    } else {
      filter_ = &filter;
      filter_state_ = duckdb::TableFilterState::Initialize(context_, filter);
      condition = Observing(
          LogicalType::BOOLEAN, [this](DataChunk& given, duckdb::ExpressionState&, Vector& result) {
            SeeAndFilter(Unselected(given.data[0], given.size()), given.size(), result);
          });
    }
    wrapped_ = duckdb::make_uniq<duckdb::ExpressionFilter>(std::move(condition));
    wrapped_state_ = duckdb::TableFilterState::Initialize(context_, *wrapped_);
  }

  /// Reads the next rows of the column; those that pass its filter go to `rows`.
  void Read(duckdb::ColumnReader& reader, idx_t count, uint8_t* defines, uint8_t* repeats,
            Vector& vector, SelectionVector& rows, idx_t& passed) {
    if (wrapped_) {
      reader.Filter(count, defines, repeats, vector, *wrapped_, *wrapped_state_, rows, passed,
                    true);
    } else {
      const idx_t got = reader.Read(count, defines, repeats, vector);
      See(vector, got);
    }
    for (auto& values : values_) {
      if (values.build) values.build->Saw(static_cast<int64_t>(count));
    }
  }

  void Finish(std::vector<std::unique_ptr<RowGroupBuild>>* sealed) {
    // Without a dictionary every row must have come by.
    const bool all = has_dictionary_ || seen_ >= rows_;
    for (auto& values : values_) {
      if (!values.build) continue;
      if (!all) {
        values.build->Discard(rowgroup::DiscardReason::kRowsSkipped);
      } else if (values.build->Seal()) {
        sealed->push_back(std::move(values.build));
      }
    }
    values_.clear();
  }

  void Discard(rowgroup::DiscardReason reason) {
    for (auto& values : values_) {
      if (values.build) values.build->Discard(reason);
    }
    values_.clear();
  }

 private:
  struct Values {
    std::unique_ptr<RowGroupBuild> build;                     ///< nullptr: given up.
    duckdb::unique_ptr<duckdb::ExpressionExecutor> executor;  ///< Of an expression.
    LogicalType type;
  };

  /// A function of the column that looks at what it is given.
  duckdb::unique_ptr<duckdb::Expression> Observing(const LogicalType& result,
                                                   duckdb::scalar_function_t look) {
    duckdb::vector<duckdb::unique_ptr<duckdb::Expression>> arguments;
    arguments.push_back(duckdb::make_uniq<duckdb::BoundReferenceExpression>(type_, 0ULL));
    // Volatile: the engine must not answer from what an earlier call returned.
    duckdb::ScalarFunction function(
        "ariadne_observe", {type_}, result, std::move(look), nullptr, nullptr, nullptr, nullptr,
        LogicalType(duckdb::LogicalTypeId::INVALID), duckdb::FunctionStability::VOLATILE,
        duckdb::FunctionNullHandling::SPECIAL_HANDLING);
    return duckdb::make_uniq<duckdb::BoundFunctionExpression>(result, std::move(function),
                                                              std::move(arguments), nullptr);
  }

  /// What is equal has the same hash: values of other hashes need not be compared.
  void SeekEqual(const duckdb::ConstantFilter& filter) {
    if (filter.comparison_type != duckdb::ExpressionType::COMPARE_EQUAL) return;
    const auto value = ToIndexValue(filter.constant, type_);
    if (value) sought_ = rowgroup::HashOf(*value);
  }

  void SeeAndFilter(Vector& vector, idx_t count, Vector& result) {
    See(vector, count);
    duckdb::UnifiedVectorFormat format;
    vector.ToUnifiedFormat(count, format);
    SelectionVector passing;
    idx_t passed = count;
    duckdb::ColumnSegment::FilterSelection(passing, vector, format, *filter_, *filter_state_, count,
                                           passed);
    result.SetVectorType(duckdb::VectorType::FLAT_VECTOR);
    auto* flags = duckdb::FlatVector::GetData<bool>(result);
    std::fill_n(flags, count, false);
    for (idx_t i = 0; i < passed; ++i) flags[passing.get_index(i)] = true;
  }

  /// False: the filter asks for what is equal to a constant, and none of the values is.
  bool See(Vector& vector, idx_t count) {
    seen_ += static_cast<int64_t>(count);
    if (vector.GetVectorType() == duckdb::VectorType::DICTIONARY_VECTOR) {
      const auto size = duckdb::DictionaryVector::DictionarySize(vector);
      const auto& id = duckdb::DictionaryVector::DictionaryId(vector);
      if (size.IsValid() && !id.empty() && static_cast<int64_t>(size.GetIndex()) <= rows_ + 1) {
        if (id == seen_dictionary_) return true;
        seen_dictionary_ = id;
        return SeeFlat(duckdb::DictionaryVector::Child(vector), size.GetIndex());
      }
    }
    return SeeFlat(vector, count);
  }

  bool SeeFlat(Vector& vector, idx_t count) {
    bool may_pass = true;
    for (auto& values : values_) {
      if (!values.build) continue;
      if (!values.executor) {
        may_pass = Collect(vector, count, no_nulls_, values.build->values(), sought_);
        continue;
      }
      try {
        Evaluate(vector, count, values);
      } catch (const std::exception&) {
        // The query may remove the row before it evaluates the expression: its error, if any, is
        // for the query to raise.
        values.build->Discard(rowgroup::DiscardReason::kFailed);
        values.build.reset();
      }
    }
    return may_pass;
  }

  void Evaluate(Vector& vector, idx_t count, Values& values) {
    for (idx_t from = 0; from < count; from += STANDARD_VECTOR_SIZE) {
      const idx_t to = std::min<idx_t>(count, from + STANDARD_VECTOR_SIZE);
      DataChunk rows;
      rows.data.emplace_back(vector, from, to);
      rows.SetCardinality(to - from);
      Vector result(values.type);
      values.executor->ExecuteExpression(rows, result);
      Collect(result, to - from, false, values.build->values());
    }
  }

  duckdb::ClientContext& context_;
  idx_t local_;
  LogicalType type_;
  Vector null_;  ///< Passes no comparison.
  bool no_nulls_;
  bool has_dictionary_;
  int64_t rows_;
  int64_t seen_ = 0;
  std::string seen_dictionary_;
  std::vector<Values> values_;
  std::optional<uint64_t> sought_;  ///< Hash of the constant that the filter asks for.
  const TableFilter* filter_ = nullptr;
  duckdb::unique_ptr<duckdb::TableFilterState> filter_state_;
  duckdb::unique_ptr<TableFilter> wrapped_;
  duckdb::unique_ptr<duckdb::TableFilterState> wrapped_state_;
};

namespace {

/// What a top-level column is in its file, whatever name a query knows it by; nullopt: it cannot be
/// told from another.
std::optional<std::string> ColumnTargetOf(const duckdb::ParquetReader& reader,
                                          const duckdb::ParquetColumnSchema& schema,
                                          const LogicalType& type) {
  if (!schema.children.empty() || !schema.schema_index.IsValid()) return std::nullopt;
  const auto& elements = reader.GetFileMetadata()->schema;
  const auto element_of = [&](const duckdb::ParquetColumnSchema& column) {
    const auto at =
        column.parent_schema_index.IsValid() ? column.parent_schema_index : column.schema_index;
    return at.IsValid() && at.GetIndex() < elements.size() ? &elements[at.GetIndex()] : nullptr;
  };
  const auto* element = element_of(schema);
  if (!element) return std::nullopt;
  const bool has_id = element->__isset.field_id && element->field_id >= 0;
  int same = 0;
  for (const auto& other : reader.root_schema->children) {
    const auto* each = element_of(other);
    if (!each) continue;
    same += has_id ? each->__isset.field_id && each->field_id == element->field_id
                   : each->name == element->name;
  }
  if (same != 1) return std::nullopt;
  if (has_id) return rowgroup::FieldTarget(element->field_id, type.ToString());
  return rowgroup::ColumnTarget({&element->name, 1}, type.ToString());
}

/// The reader's column that is the declared one as it is; nullptr: none is.
const duckdb::BoundReferenceExpression* ReferenceTo(
    const duckdb::vector<duckdb::unique_ptr<duckdb::Expression>>& places,
    const duckdb::vector<duckdb::ColumnIndex>& projection, idx_t column) {
  for (idx_t i = 0; i < projection.size() && i < places.size(); ++i) {
    if (!projection[i].IsVirtualColumn() && !projection[i].HasChildren() &&
        projection[i].GetPrimaryIndex() == column &&
        places[i]->GetExpressionClass() == duckdb::ExpressionClass::BOUND_REF) {
      return &places[i]->Cast<duckdb::BoundReferenceExpression>();
    }
  }
  return nullptr;
}

}  // namespace

std::vector<IndexTarget> IndexTargets(
    duckdb::ParquetReader& reader,
    const duckdb::vector<duckdb::unique_ptr<duckdb::Expression>>& places,
    const duckdb::vector<duckdb::ColumnIndex>& projection,
    const std::vector<ExpressionPredicate>& predicates) {
  std::vector<IndexTarget> targets;
  const auto add = [&](idx_t local, const LogicalType* declared, const TableFilter* filter,
                       const ExpressionPredicate* predicate) {
    const auto column = reader.column_ids[duckdb::MultiFileLocalIndex(local)].GetId();
    if (column >= reader.root_schema->children.size()) return;
    const auto& schema = reader.root_schema->children[column];
    if (schema.schema_type != duckdb::ParquetColumnSchemaType::COLUMN) return;
    const auto converted = reader.expression_map.find(column);
    const LogicalType type =
        converted == reader.expression_map.end() ? schema.type : converted->second->return_type;
    if ((declared && *declared != type) || !IndexDomain(type)) return;
    const auto target = ColumnTargetOf(reader, schema, type);
    if (!target) return;
    targets.push_back({.local = local,
                       .column_type = type,
                       .target = predicate ? predicate->Target(*target) : *target,
                       .type = predicate ? predicate->expression->return_type : type,
                       .filter = filter,
                       .predicate = predicate});
  };
  if (reader.filters) {
    for (const auto& [local, filter] : reader.filters->filters) {
      add(local, nullptr, filter.get(), nullptr);
    }
  }
  for (const ExpressionPredicate& predicate : predicates) {
    const auto* reference = ReferenceTo(places, projection, predicate.column);
    if (reference) add(reference->index, &reference->return_type, nullptr, &predicate);
  }
  return targets;
}

const duckdb::ParquetColumnSchema* StoredColumn(
    duckdb::ParquetReader& reader,
    const duckdb::vector<duckdb::unique_ptr<duckdb::Expression>>& places,
    const duckdb::vector<duckdb::ColumnIndex>& projection, idx_t column) {
  const auto* reference = ReferenceTo(places, projection, column);
  if (!reference) return nullptr;
  const auto id = reader.column_ids[duckdb::MultiFileLocalIndex(reference->index)].GetId();
  if (id >= reader.root_schema->children.size() || reader.expression_map.contains(id)) {
    return nullptr;
  }
  const auto& schema = reader.root_schema->children[id];
  const bool holds_values =
      schema.schema_type == duckdb::ParquetColumnSchemaType::COLUMN && schema.children.empty();
  return holds_values ? &schema : nullptr;
}

bool MayHoldRows(const std::vector<IndexTarget>& targets, const rowgroup::FileIdentity& file,
                 int32_t row_group, rowgroup::IndexStore& store) {
  rowgroup::IndexKey key{.file = file, .row_group = row_group, .target = "", .kind = {}};
  const auto may_match = [&](const rowgroup::Predicate& predicate) {
    for (const auto kind : {rowgroup::Kind::kRange, rowgroup::Kind::kBloom}) {
      key.kind = kind;
      if (!store.MayMatch(key, predicate)) return false;
    }
    return true;
  };
  for (const IndexTarget& target : targets) {
    key.target = target.target;
    const bool may = target.filter ? MayPass(*target.filter, target.type, may_match)
                                   : may_match(target.predicate->predicate);
    if (!may) return false;
  }
  return true;
}

RowGroupObserver::RowGroupObserver() = default;
RowGroupObserver::~RowGroupObserver() = default;

std::unique_ptr<RowGroupObserver> RowGroupObserver::Start(
    duckdb::ClientContext& context, duckdb::ParquetReader& reader,
    duckdb::ParquetReaderScanState& scan, const std::vector<IndexTarget>& targets,
    const rowgroup::FileIdentity& file, int32_t row_group, const RowGroupIndexing& indexing,
    rowgroup::HashRooms& rooms) {
  const auto& group = reader.GetFileMetadata()->row_groups[static_cast<size_t>(row_group)];
  auto& root = scan.root_reader->Cast<duckdb::StructColumnReader>();
  std::unique_ptr<RowGroupObserver> observer(new RowGroupObserver);
  for (const IndexTarget& target : targets) {
    rowgroup::Kinds kinds = indexing.columns;
    if (target.filter) {
      const auto comparisons = ComparisonsOf(*target.filter, target.type);
      kinds.bloom = kinds.bloom && comparisons.equality;
      kinds.range = kinds.range && comparisons.order;
    } else {
      kinds = {.bloom = indexing.expressions, .range = false};
    }
    if (!kinds.any()) continue;
    auto& child = root.GetChildReader(reader.column_ids[duckdb::MultiFileLocalIndex(target.local)]);
    if (child.Type() != target.column_type) continue;
    auto build =
        RowGroupBuild::Start(*indexing.store, file, row_group, target.target, kinds,
                             *IndexDomain(target.type), group.num_rows, indexing.rate, rooms);
    if (!build) continue;
    auto& columns = observer->columns_;
    auto column = std::find_if(columns.begin(), columns.end(),
                               [&](const auto& each) { return each->local() == target.local; });
    if (column == columns.end()) {
      const auto* chunk = ChunkOf(group, child.Schema());
      const bool no_nulls = chunk && chunk->__isset.statistics &&
                            chunk->statistics.__isset.null_count &&
                            chunk->statistics.null_count == 0;
      columns.push_back(std::make_unique<ColumnObserver>(context, target.local, child.Type(),
                                                         no_nulls, chunk && HasDictionary(*chunk),
                                                         group.num_rows));
      column = std::prev(columns.end());
      if (reader.filters) {
        const auto filter = reader.filters->filters.find(target.local);
        if (filter != reader.filters->filters.end()) (*column)->Wrap(*filter->second);
      }
    }
    (*column)->Add(std::move(build), target.predicate);
  }
  if (observer->columns_.empty()) return nullptr;
  return observer;
}

void RowGroupObserver::Scan(duckdb::ParquetReader& reader, duckdb::ParquetReaderScanState& scan,
                            DataChunk& chunk) {
  chunk.Reset();
  const auto& group =
      reader.GetFileMetadata()
          ->row_groups[scan.group_idx_list[static_cast<size_t>(scan.current_group)]];
  const idx_t count = std::min<idx_t>(STANDARD_VECTOR_SIZE,
                                      static_cast<idx_t>(group.num_rows) - scan.offset_in_group);
  chunk.SetCardinality(count);
  scan.define_buf.zero();
  scan.repeat_buf.zero();
  auto* defines = reinterpret_cast<uint8_t*>(scan.define_buf.ptr);
  auto* repeats = reinterpret_cast<uint8_t*>(scan.repeat_buf.ptr);
  auto& root = scan.root_reader->Cast<duckdb::StructColumnReader>();
  const auto reader_of = [&](idx_t local) -> duckdb::ColumnReader& {
    return root.GetChildReader(reader.column_ids[duckdb::MultiFileLocalIndex(local)]);
  };

  SelectionVector rows;
  idx_t left = count;
  std::vector<bool> read(reader.column_ids.size());
  for (const auto& column : columns_) {
    SelectionVector passing;
    idx_t passed = count;
    column->Read(reader_of(column->local()), count, defines, repeats, chunk.data[column->local()],
                 passing, passed);
    if (passed < count) Intersect(rows, left, passing, passed);
    read[column->local()] = true;
  }
  if (reader.deletion_filter) {
    SelectionVector kept(STANDARD_VECTOR_SIZE);
    const auto first = static_cast<duckdb::row_t>(scan.offset_in_group + scan.group_offset);
    const idx_t alive = reader.deletion_filter->Filter(first, count, kept);
    if (alive < count) Intersect(rows, left, kept, alive);
  }
  for (auto& filter : scan.scan_filters) {
    if (left == 0) break;
    if (read[filter.filter_idx]) continue;
    reader_of(filter.filter_idx)
        .Filter(count, defines, repeats, chunk.data[filter.filter_idx], filter.filter,
                *filter.filter_state, rows, left, false);
    read[filter.filter_idx] = true;
  }
  for (idx_t i = 0; i < read.size(); ++i) {
    if (read[i]) continue;
    if (left == 0) {
      reader_of(i).Skip(count);
    } else {
      reader_of(i).Select(count, defines, repeats, chunk.data[i], rows, left);
    }
  }
  if (left < count) chunk.Slice(rows, left);
  reader.rows_read += count;
  scan.offset_in_group += count;
}

std::vector<std::unique_ptr<RowGroupBuild>> RowGroupObserver::Finish() {
  std::vector<std::unique_ptr<RowGroupBuild>> sealed;
  for (const auto& column : columns_) column->Finish(&sealed);
  return sealed;
}

void RowGroupObserver::Discard(rowgroup::DiscardReason reason) {
  for (const auto& column : columns_) column->Discard(reason);
}

}  // namespace ariadne::scan
