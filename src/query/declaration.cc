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
#include "index/derived_column.h"
#include "query/derived_columns.h"
#include "source/spark_schema.h"
#include "source/stored_name.h"

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

/// A column carries one kind of index, made in one way.
void CheckSameDeclaration(const IndexedColumn& known, const IndexedColumn& asked) {
  if (known == asked) return;
  const std::string column = "column " + Quoted(asked.column);
  if (known.kind != asked.kind) {
    throw IndexTypeConflict(column + " has a " + ToString(known.kind) +
                            " index already; a column carries one kind of index");
  }
  switch (asked.kind) {
    case IndexedColumn::Kind::kBloom:
      if (known.fpr == asked.fpr) return;
      throw IndexTypeConflict(
          column + " has a bloom index already, with a false positive rate of " +
          std::to_string(known.fpr) + "; the rate of built filters cannot be changed to " +
          std::to_string(asked.fpr));
    case IndexedColumn::Kind::kComputed:
    case IndexedColumn::Kind::kExploded:
      if (SourceText(known) == SourceText(asked)) return;
      throw IndexTypeConflict(column + " stands for " + SourceText(known) + " already; index " +
                              SourceText(asked) + " under another name");
    case IndexedColumn::Kind::kTemporal:
      if (known.timestamp_column == asked.timestamp_column) return;
      throw IndexTypeConflict(column + " has a temporal index by " + known.timestamp_column +
                              " already; versions that were compared by it cannot be compared by " +
                              asked.timestamp_column);
    case IndexedColumn::Kind::kRegular:
    case IndexedColumn::Kind::kRange:
      return;
  }
}

/// The name of derived values is a column in every answer, a folder of a large index, and one part
/// of a path.
void CheckDerivedName(const arrow::Schema& schema, const std::string& name) {
  if (name.find_first_of(std::string_view("./\\\0", 4)) != std::string::npos) {
    throw InvalidArgument("the name " + Quoted(name) +
                          " has a dot or a slash; choose another one for the derived values");
  }
  if (name.find_first_not_of(" \t\r\n") == std::string::npos) {
    throw InvalidArgument("derived values need a name that is not blank");
  }
  for (const auto& field : schema.fields()) {
    if (LowerCase(field->name()) != LowerCase(name)) continue;
    throw IndexTypeConflict("the data has a column " + Quoted(field->name()) +
                            " itself; choose another name than " + Quoted(name) +
                            " for the derived values");
  }
}

/// What an index is made of must be said, and be there.
void CheckSources(const arrow::Schema& schema, const IndexedColumn& column) {
  const std::string what = std::string(ToString(column.kind)) + " index " + Quoted(column.column);
  if (column.kind == IndexedColumn::Kind::kComputed &&
      column.expression.find_first_not_of(" \t\r\n") == std::string::npos) {
    throw InvalidArgument(what + " needs an expression");
  }
  if (column.kind == IndexedColumn::Kind::kTemporal && column.timestamp_column.empty()) {
    throw InvalidArgument(what + " needs a timestamp column");
  }
  if (column.kind == IndexedColumn::Kind::kExploded) {
    if (column.array_column.empty()) throw InvalidArgument(what + " needs an array column");
    (void)TypeOf(schema, column.array_column);
  }
}

void Record(storage::IndexMetadata& metadata, const IndexedColumn& column) {
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

/// Where a member of a struct is another one in the files than it was, though it is called the
/// same: columns of a Delta table may exchange their names. Both types are the same but for that.
std::optional<std::string> StoredDifference(const arrow::DataType& stored,
                                            const arrow::DataType& given, const std::string& path) {
  for (int i = 0; i < stored.num_fields(); ++i) {
    const arrow::Field& member = *stored.field(i);
    const std::string below = path.empty() ? member.name() : path + "." + member.name();
    const std::string before = source::StoredName(member);
    const std::string after = source::StoredName(*given.field(i));
    // What elements of lists and maps are called means nothing.
    if (stored.id() == arrow::Type::STRUCT && before != after) {
      return "column " + Quoted(below) + " is " + Quoted(before) +
             " in the files of the index and " + Quoted(after) + " in the given schema";
    }
    auto difference = StoredDifference(*member.type(), *given.field(i)->type(), below);
    if (difference) return difference;
  }
  return std::nullopt;
}

}  // namespace

bool Declare(storage::IndexMetadata& metadata, const arrow::Schema& schema,
             const IndexedColumn& column) {
  if (column.column.empty()) throw InvalidArgument("an index needs the name of a column");
  const std::string lower = LowerCase(column.column);
  for (const IndexedColumn& claim : build::DeclaredColumns(metadata)) {
    if (claim.column == column.column) {
      CheckSameDeclaration(claim, column);
      return false;
    }
    if (LowerCase(claim.column) == lower) {
      throw UnsupportedColumn("column " + Quoted(column.column) + " and the indexed column " +
                              Quoted(claim.column) +
                              " differ in case alone, which the index table cannot hold");
    }
  }
  if (IsDerived(column.kind)) {
    CheckDerivedName(schema, column.column);
  } else {
    (void)TypeOf(schema, column.column);
  }
  if (column.kind == IndexedColumn::Kind::kBloom) CheckRate(column);
  if (IsReserved(column.column)) {
    throw UnsupportedColumn(
        "column " + Quoted(column.column) +
        " cannot be indexed: the index table uses this name itself (reserved are filename, "
        "file_size and names that begin with bloom_, range_, auto_bloom_ or _ariadne_)");
  }
  CheckSources(schema, column);
  index::CheckSupported(column, *IndexedType(column, schema));
  (void)index::TimestampType(column, schema);
  Record(metadata, column);
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
    auto difference = StoredDifference(*arrow::struct_({field}), *arrow::struct_({other}), "");
    if (difference) return difference;
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
