#include "query/declaration.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

#include <arrow/type.h>

#include "ariadne/errors.h"
#include "build/update.h"
#include "index/column_index.h"
#include "source/spark_schema.h"

namespace ariadne::query {

namespace {

std::string Quoted(std::string_view name) {
  std::string quoted(1, '"');
  quoted.append(name).push_back('"');
  return quoted;
}

std::string LowerCase(std::string_view name) {
  std::string lower(name);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return c < 128 ? std::tolower(c) : c; });
  return lower;
}

/// Names that the main index and the staging table use for themselves.
bool IsReserved(std::string_view column) {
  constexpr std::array<std::string_view, 2> kNames = {"filename", "file_size"};
  constexpr std::array<std::string_view, 4> kPrefixes = {"bloom_", "range_", "auto_bloom_",
                                                         "_ariadne_"};
  const std::string lower = LowerCase(column);
  return std::find(kNames.begin(), kNames.end(), lower) != kNames.end() ||
         std::any_of(kPrefixes.begin(), kPrefixes.end(),
                     [&](std::string_view prefix) { return lower.starts_with(prefix); });
}

struct Claim {
  std::string column;
  std::string kind;
};

/// Every name that an index has taken, with the kind of index, those of other releases included.
std::vector<Claim> Claims(const storage::IndexMetadata& metadata) {
  std::vector<Claim> claims;
  for (const IndexedColumn& column : build::DeclaredColumns(metadata)) {
    claims.push_back({column.column, ToString(column.kind)});
  }
  for (const auto& [name, expression] : metadata.computed) claims.push_back({name, "computed"});
  for (const auto& field : metadata.exploded) claims.push_back({field.as_column, "exploded field"});
  for (const auto& column : metadata.temporal) claims.push_back({column.column, "temporal"});
  return claims;
}

std::shared_ptr<arrow::DataType> TypeOf(const arrow::Schema& schema, const std::string& column) {
  if (const auto field = schema.GetFieldByName(column)) return field->type();
  const size_t dot = column.find('.');
  if (dot != std::string::npos && schema.GetFieldByName(column.substr(0, dot))) {
    throw UnsupportedColumn("column " + Quoted(column) +
                            " is a path into a nested column, which cannot be indexed: only "
                            "top-level columns can");
  }
  std::string names;
  for (const auto& field : schema.fields()) {
    names += (names.empty() ? "" : ", ") + Quoted(field->name());
  }
  throw ColumnNotFound("the schema has no column " + Quoted(column) + "; it has " + names);
}

/// n = 1 gives the smallest filter there is: a rate that leaves it no bit is no filter at all.
/// bits = -n ln p / (ln 2)^2, as Guava sizes its filters.
void CheckRate(const IndexedColumn& column) {
  const double rate = column.fpr;
  const bool sized = rate > 0 && rate < 1 && -std::log(rate) / (M_LN2 * M_LN2) >= 1;
  if (!sized) {
    throw InvalidArgument("a false positive rate of " + std::to_string(rate) + " for column " +
                          Quoted(column.column) +
                          " gives no filter: choose one between 0 and 0.6, such as 0.01");
  }
}

bool SameType(const arrow::DataType& a, const arrow::DataType& b) {
  if (a.id() != b.id() || a.num_fields() != b.num_fields()) return false;
  if (a.num_fields() == 0) return a.Equals(b);
  for (int i = 0; i < a.num_fields(); ++i) {
    const bool named = a.id() == arrow::Type::STRUCT;
    if (named && a.field(i)->name() != b.field(i)->name()) return false;
    if (!SameType(*a.field(i)->type(), *b.field(i)->type())) return false;
  }
  return true;
}

}  // namespace

bool Declare(storage::IndexMetadata& metadata, const arrow::Schema& schema,
             const IndexedColumn& column) {
  if (column.column.empty()) throw InvalidArgument("an index needs the name of a column");
  const auto type = TypeOf(schema, column.column);
  if (column.kind == IndexedColumn::Kind::kBloom) CheckRate(column);
  for (const Claim& claim : Claims(metadata)) {
    if (claim.column == column.column) {
      if (claim.kind != ToString(column.kind)) {
        throw IndexTypeConflict("column " + Quoted(column.column) + " has a " + claim.kind +
                                " index already; a column carries one kind of index");
      }
      const auto bloom =
          std::find_if(metadata.bloom.begin(), metadata.bloom.end(),
                       [&](const auto& known) { return known.column == column.column; });
      if (column.kind == IndexedColumn::Kind::kBloom && bloom->fpr != column.fpr) {
        throw IndexTypeConflict("column " + Quoted(column.column) +
                                " has a bloom index already, with a false positive rate of " +
                                std::to_string(bloom->fpr) +
                                "; the rate of built filters cannot "
                                "be changed to " +
                                std::to_string(column.fpr));
      }
      return false;
    }
    if (LowerCase(claim.column) == LowerCase(column.column)) {
      throw UnsupportedColumn("column " + Quoted(column.column) + " and the indexed column " +
                              Quoted(claim.column) +
                              " differ in case alone, which the index table cannot hold");
    }
  }
  if (IsReserved(column.column)) {
    throw UnsupportedColumn(
        "column " + Quoted(column.column) +
        " cannot be indexed: the index table uses this name itself (reserved are filename, "
        "file_size and names that begin with bloom_, range_, auto_bloom_ or _ariadne_)");
  }
  index::CheckSupported(column, *type);
  switch (column.kind) {
    case IndexedColumn::Kind::kRegular:
      metadata.regular.push_back(column.column);
      break;
    case IndexedColumn::Kind::kBloom:
      metadata.bloom.push_back({column.column, column.fpr});
      break;
    case IndexedColumn::Kind::kRange:
      metadata.range.push_back(column.column);
      break;
    case IndexedColumn::Kind::kComputed:
      metadata.computed.emplace_back(column.column, column.expression);
      break;
    case IndexedColumn::Kind::kTemporal:
      metadata.temporal.push_back({column.column, column.timestamp_column});
      break;
    case IndexedColumn::Kind::kExploded:
      metadata.exploded.push_back({column.array_column, column.field_path, column.column});
      break;
  }
  return true;
}

std::optional<std::string> SchemaDifference(const arrow::Schema& stored,
                                            const arrow::Schema& given) {
  for (const auto& field : stored.fields()) {
    const auto other = given.GetFieldByName(field->name());
    if (!other) return "the given schema lacks column " + Quoted(field->name());
    if (!SameType(*field->type(), *other->type())) {
      return "column " + Quoted(field->name()) + " is " + source::SparkTypeName(*field->type()) +
             " in the index and " + source::SparkTypeName(*other->type()) + " in the given schema";
    }
  }
  for (const auto& field : given.fields()) {
    if (!stored.GetFieldByName(field->name())) {
      return "the given schema has a column " + Quoted(field->name()) + " that the index lacks";
    }
  }
  for (int i = 0; i < stored.num_fields(); ++i) {
    if (stored.field(i)->name() != given.field(i)->name()) {
      return "the columns are the same, in another order from " + Quoted(stored.field(i)->name()) +
             " on";
    }
  }
  return std::nullopt;
}

}  // namespace ariadne::query
