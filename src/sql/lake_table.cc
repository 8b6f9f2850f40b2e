#include "sql/lake_table.h"

#include <utility>

#include <arrow/type.h>

#include "ariadne/errors.h"
#include "build/update.h"
#include "duckdb/common/exception.hpp"
#include "duckdb/common/multi_file/multi_file_reader.hpp"
#include "duckdb/common/string_util.hpp"
#include "query/derived_columns.h"
#include "query/index_warning.h"
#include "scan/column_types.h"

namespace ariadne::sql {

namespace {
/// Behind the numbers that the engine has for columns of its own.
constexpr duckdb::column_t kFirstDerived = (uint64_t{1} << 63) + 4096;
}  // namespace

LakeTable::LakeTable(std::shared_ptr<const internal::IndexImpl> index)
    : index_(std::move(index)), snapshot_(query::LakeSnapshot::Take(*index_)) {
  const auto declared = build::DeclaredColumns(snapshot_->metadata());
  for (const auto& field : index_->schema()->fields()) {
    Column column{field->name(), scan::ToEngineType(*field), std::nullopt, field->type()};
    for (const IndexedColumn& candidate : declared) {
      if (candidate.column != field->name()) continue;
      column.index = candidate;
      if (candidate.kind == IndexedColumn::Kind::kTemporal) temporal_.push_back(candidate);
    }
    columns_.push_back(std::move(column));
  }
  for (const IndexedColumn& candidate : declared) {
    if (!query::IsDerived(candidate.kind)) continue;
    try {
      const auto type = query::IndexedType(candidate, *index_->schema());
      const auto engine_type = scan::ToEngineType(*arrow::field(candidate.column, type));
      derived_.push_back({candidate.column, engine_type, candidate, type});
    } catch (const UnsupportedColumn& error) {
      query::WarnOnce("column " + candidate.column + " of " + name() +
                      " is left out: " + error.what());
    }
  }
}

std::optional<size_t> LakeTable::DerivedAt(duckdb::column_t id) const {
  if (id < kFirstDerived || id >= kFirstDerived + derived_.size()) return std::nullopt;
  return id - kFirstDerived;
}

const LakeTable::Column* LakeTable::Find(duckdb::column_t id) const {
  if (id < columns_.size()) return &columns_[id];
  const auto derived = DerivedAt(id);
  return derived ? &derived_[*derived] : nullptr;
}

duckdb::LogicalType LakeTable::TypeOf(duckdb::column_t id) const {
  if (const Column* column = Find(id)) return column->type;
  if (id == duckdb::MultiFileReader::COLUMN_IDENTIFIER_FILE_INDEX) {
    return duckdb::LogicalType::UBIGINT;
  }
  const auto columns = VirtualColumns();
  const auto found = columns.find(id);
  if (found == columns.end()) throw duckdb::InternalException("a lake has no such column");
  return found->second.type;
}

duckdb::virtual_column_map_t LakeTable::VirtualColumns() const {
  duckdb::virtual_column_map_t columns;
  const auto add = [&](duckdb::column_t id, const std::string& name,
                       const duckdb::LogicalType& type) {
    for (const Column& column : columns_) {
      if (duckdb::StringUtil::CIEquals(column.name, name)) return;
    }
    columns.insert({id, duckdb::TableColumn(name, type)});
  };
  add(duckdb::COLUMN_IDENTIFIER_EMPTY, "", duckdb::LogicalType::BOOLEAN);
  add(duckdb::MultiFileReader::COLUMN_IDENTIFIER_FILENAME, "filename",
      duckdb::LogicalType::VARCHAR);
  add(duckdb::MultiFileReader::COLUMN_IDENTIFIER_FILE_ROW_NUMBER, "file_row_number",
      duckdb::LogicalType::BIGINT);
  for (size_t i = 0; i < derived_.size(); ++i) {
    add(kFirstDerived + i, derived_[i].name, derived_[i].type);
  }
  return columns;
}

}  // namespace ariadne::sql
