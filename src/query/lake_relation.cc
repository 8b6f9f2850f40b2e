#include "query/lake_relation.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "ariadne/errors.h"
#include "engine/session.h"
#include "index/derived_column.h"
#include "query/arrow_check.h"
#include "query/conform.h"
#include "query/derived_columns.h"
#include "query/session_pool.h"
#include "scan/row_places.h"

namespace ariadne::query {

namespace {

std::string Quote(const std::string& name) { return engine::Session::Quote(name); }

bool Contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// `value` and the fields of `path` in it; NULL where a struct on the way is.
std::string FieldSql(std::string value, std::string_view path) {
  while (!path.empty()) {
    const size_t dot = path.find('.');
    value = "struct_extract(" + value + ", " +
            engine::Session::Literal(std::string(path.substr(0, dot))) + ")";
    path = dot == std::string_view::npos ? std::string_view() : path.substr(dot + 1);
  }
  return value;
}

class Maker {
 public:
  Maker(const std::vector<IndexedColumn>& columns, const arrow::Schema& files,
        const JoinOptions& options)
      : columns_(columns),
        files_(files),
        options_(options),
        element_(scan::FreeName(files, "_ariadne_element")),
        fields_(files.fields()) {
    lake_.file_place = scan::FreeName(files, "_ariadne_file");
    lake_.row_place = scan::FreeName(files, "_ariadne_row");
  }

  LakeRelation Newest() {
    lake_.sql = std::string("SELECT * FROM ") + kLakeFiles;
    KeepNewest();
    return Make();
  }

  LakeRelation AllVersions(bool with_places) {
    lake_.sql = with_places ? RowsWithPlaces("*") : std::string("SELECT * FROM ") + kLakeFiles;
    return Make();
  }

 private:
  LakeRelation Make() {
    CheckDerivedNames(columns_, files_, "the index");
    AddComputed();
    AddExploded();
    lake_.schema = arrow::schema(fields_);
    return std::move(lake_);
  }

  bool IsNamed(const IndexedColumn& column) const {
    return Contains(options_.on, column.column) || Contains(options_.select, column.column);
  }

  /// Each temporal column of the join leaves the newest row of each key; they are found over all
  /// rows of the files, so that what one column drops is no reason for another to take an older.
  void KeepNewest() {
    std::string newest;
    for (const IndexedColumn& column : columns_) {
      if (column.kind != IndexedColumn::Kind::kTemporal) continue;
      const auto place = std::find(options_.on.begin(), options_.on.end(), column.column);
      if (place == options_.on.end()) continue;
      newest += " SEMI JOIN (" + NewestSql(column, place - options_.on.begin()) + ") USING (" +
                lake_.file_place + ", " + lake_.row_place + ")";
    }
    if (newest.empty()) return;
    lake_.keeps_newest = true;
    lake_.sql = "SELECT * FROM (" + RowsWithPlaces("*") + ")" + newest;
  }

  /// Places of the rows that are the newest of a key that is asked for.
  std::string NewestSql(const IndexedColumn& column, ptrdiff_t key) const {
    const std::string value = Quote(column.column);
    const std::string versions =
        RowsWithPlaces(value + " AS v, " + PathSql(column.timestamp_column, files_) + " AS t");
    const std::string place = lake_.file_place + ", " + lake_.row_place;
    return "SELECT " + place + " FROM (" + versions + ") SEMI JOIN keys ON v = keys.j" +
           std::to_string(key) +
           " QUALIFY row_number() OVER (PARTITION BY v ORDER BY t DESC NULLS LAST, " + place +
           ") = 1";
  }

  [[nodiscard]] std::string RowsWithPlaces(const std::string& columns) const {
    const scan::RowPlaces places(files_);
    return "SELECT " + columns + ", " + places.file + " AS " + lake_.file_place + ", " +
           places.row + " AS " + lake_.row_place + " FROM " + engine::Session::ScanOf(kLakeFiles);
  }

  void AddComputed() {
    std::string added;
    for (const IndexedColumn& column : columns_) {
      if (column.kind != IndexedColumn::Kind::kComputed) continue;
      if (!IsNamed(column) && !options_.select.empty()) continue;
      LakeRelation::Function function;
      function.name = "ariadne_computed_" + std::to_string(lake_.functions.size());
      function.expression = build::CompileComputed(column.expression, files_);
      std::string arguments;
      for (const std::string& name : function.expression->columns()) {
        arguments += (arguments.empty() ? "" : ", ") + Quote(name);
        function.arguments.push_back(files_.GetFieldByName(name));
      }
      added += ", " + function.name + "(" + arguments + ") AS " + Quote(column.column);
      fields_.push_back(arrow::field(column.column, function.expression->type()));
      lake_.functions.push_back(std::move(function));
    }
    if (!added.empty()) lake_.sql = "SELECT *" + added + " FROM (" + lake_.sql + ")";
  }

  void AddExploded() {
    for (const IndexedColumn& column : columns_) {
      if (column.kind != IndexedColumn::Kind::kExploded || !IsNamed(column)) continue;
      lake_.sql = "SELECT * EXCLUDE (" + element_ + "), " + FieldSql(element_, column.field_path) +
                  " AS " + Quote(column.column) + " FROM (SELECT *, unnest(" +
                  PathSql(column.array_column, files_) + ") AS " + element_ + " FROM (" +
                  lake_.sql + "))";
      fields_.push_back(arrow::field(column.column, IndexedType(column, files_)));
    }
  }

  const std::vector<IndexedColumn>& columns_;
  const arrow::Schema& files_;
  const JoinOptions& options_;
  std::string element_;  ///< What an array's element is called before its field is taken.
  LakeRelation lake_;
  arrow::FieldVector fields_;
};

}  // namespace

std::string PathSql(const std::string& path, const arrow::Schema& schema) {
  const std::string root = index::RootOfPath(path, schema);
  return FieldSql(Quote(root), path.size() == root.size()
                                   ? std::string_view()
                                   : std::string_view(path).substr(root.size() + 1));
}

LakeRelation MakeLakeRelation(const std::vector<IndexedColumn>& columns, const arrow::Schema& files,
                              const JoinOptions& options) {
  return Maker(columns, files, options).Newest();
}

LakeRelation MakeAllVersions(const std::vector<IndexedColumn>& columns, const arrow::Schema& files,
                             const std::vector<std::string>& named, bool with_places) {
  JoinOptions options;
  options.select = named;
  return Maker(columns, files, options).AllVersions(with_places);
}

void RegisterFunctions(const LakeRelation& lake, engine::Session& session) {
  for (const LakeRelation::Function& function : lake.functions) {
    const auto arguments = arrow::schema(function.arguments);
    session.RegisterFunction(
        function.name, *arguments, arrow::field("value", function.expression->type()),
        [arguments, expression = function.expression](const arrow::RecordBatch& batch) {
          arrow::ArrayVector columns;
          for (int i = 0; i < arguments->num_fields(); ++i) {
            columns.push_back(Check<QueryError>(
                Conform(batch.column(i), arguments->field(i)->type()), "an expression's column"));
          }
          return expression->Evaluate(
              *arrow::RecordBatch::Make(arguments, batch.num_rows(), std::move(columns)));
        });
  }
}

}  // namespace ariadne::query
