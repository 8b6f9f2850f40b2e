#include "sql/lake_table.h"

#include <utility>

#include <arrow/type.h>

#include "build/update.h"
#include "scan/column_types.h"

namespace ariadne::sql {

LakeTable::LakeTable(std::shared_ptr<const internal::IndexImpl> index)
    : index_(std::move(index)), snapshot_(query::LakeSnapshot::Take(*index_)) {
  const auto declared = build::DeclaredColumns(snapshot_->metadata());
  for (const auto& field : index_->schema()->fields()) {
    Column column{field->name(), scan::ToEngineType(*field), std::nullopt, field->type()};
    for (const IndexedColumn& candidate : declared) {
      if (candidate.column == field->name()) column.index = candidate;
    }
    columns_.push_back(std::move(column));
  }
}

}  // namespace ariadne::sql
