#include <algorithm>
#include <map>
#include <utility>

#include <arrow/array.h>
#include <arrow/array/builder_binary.h>
#include <arrow/record_batch.h>
#include <arrow/table.h>
#include <arrow/type.h>

#include "ariadne/errors.h"
#include "build/update.h"
#include "engine/session.h"
#include "index/column_index.h"
#include "index/derived_column.h"
#include "query/arrow_check.h"
#include "query/conform.h"
#include "query/key_table.h"
#include "query/lake_relation.h"
#include "query/lake_snapshot.h"
#include "query/session_pool.h"
#include "query/tracked_files.h"
#include "source/spark_schema.h"
#include "spark/index_worker.h"

namespace ariadne::spark {

namespace {

using query::Check;

std::string VersionName(size_t i) { return "_ariadne_version_" + std::to_string(i); }

/// The declared temporal column of that name. Throws ColumnNotFound.
const IndexedColumn& TemporalColumn(const std::vector<IndexedColumn>& columns,
                                    const std::string& name) {
  for (const IndexedColumn& column : columns) {
    if (column.kind == IndexedColumn::Kind::kTemporal && column.column == name) return column;
  }
  throw ColumnNotFound("there is no temporal index on column \"" + name + "\"");
}

/// The engine's rows as the request's: types of the lake, files by name.
class RequestedRows final : public arrow::RecordBatchReader {
 public:
  RequestedRows(std::shared_ptr<arrow::Schema> schema, std::vector<std::string> files,
                std::shared_ptr<engine::Session> session,
                std::shared_ptr<arrow::RecordBatchReader> rows, rowgroup::IndexService* row_groups)
      : schema_(std::move(schema)),
        files_(std::move(files)),
        session_(std::move(session)),
        rows_(std::move(rows)),
        row_groups_(row_groups) {}

  std::shared_ptr<arrow::Schema> schema() const override { return schema_; }

  arrow::Status ReadNext(std::shared_ptr<arrow::RecordBatch>* batch) override {
    std::shared_ptr<arrow::RecordBatch> rows;
    do {
      ARROW_RETURN_NOT_OK(rows_->ReadNext(&rows));
      if (!rows) {
        batch->reset();
        // The process may be ended any time from now on.
        if (row_groups_ != nullptr) row_groups_->Save();
        return arrow::Status::OK();
      }
    } while (rows->num_rows() == 0);
    arrow::ArrayVector columns;
    for (int i = 0; i < schema_->num_fields(); ++i) {
      const auto& field = *schema_->field(i);
      if (field.name() == query::kFilePlace) {
        ARROW_ASSIGN_OR_RAISE(auto names, FileNames(*rows->column(i)));
        columns.push_back(std::move(names));
      } else {
        ARROW_ASSIGN_OR_RAISE(auto column, query::Conform(rows->column(i), field.type()));
        columns.push_back(std::move(column));
      }
    }
    *batch = arrow::RecordBatch::Make(schema_, rows->num_rows(), std::move(columns));
    return arrow::Status::OK();
  }

  arrow::Status Close() override { return rows_->Close(); }

 private:
  arrow::Result<std::shared_ptr<arrow::Array>> FileNames(const arrow::Array& places) const {
    ARROW_ASSIGN_OR_RAISE(const auto numbers,
                          query::Conform(arrow::MakeArray(places.data()), arrow::int64()));
    const auto& values = static_cast<const arrow::Int64Array&>(*numbers);
    arrow::StringBuilder names;
    for (int64_t i = 0; i < values.length(); ++i) {
      ARROW_RETURN_NOT_OK(names.Append(files_.at(values.Value(i))));
    }
    return names.Finish();
  }

  std::shared_ptr<arrow::Schema> schema_;
  std::vector<std::string> files_;            ///< Canonical names by place.
  std::shared_ptr<engine::Session> session_;  ///< Outlives `rows_`, which it feeds.
  std::shared_ptr<arrow::RecordBatchReader> rows_;
  rowgroup::IndexService* row_groups_;
};

}  // namespace

std::shared_ptr<arrow::Schema> IndexWorker::RowArrowSchema(const RowRequest& request) const {
  const auto declared = build::DeclaredColumns(index_->ReadMetadata());
  const auto lake =
      query::MakeAllVersions(declared, *index_->schema(), request.columns, request.with_places);
  arrow::FieldVector fields;
  for (const std::string& name : request.columns) {
    auto field = lake.schema->GetFieldByName(name);
    if (field == nullptr) {
      throw ColumnNotFound("index \"" + index_->layout().name() + "\" has no column \"" + name +
                           "\"");
    }
    fields.push_back(std::move(field));
  }
  if (request.with_places) {
    fields.push_back(arrow::field(query::kFilePlace, arrow::utf8()));
    fields.push_back(arrow::field(query::kRowPlace, arrow::int64()));
  }
  for (size_t i = 0; i < request.versions.size(); ++i) {
    const IndexedColumn& column = TemporalColumn(declared, request.versions[i]);
    fields.push_back(arrow::field(VersionName(i), index::TimestampType(column, *index_->schema())));
  }
  return arrow::schema(std::move(fields));
}

std::string IndexWorker::RowSchema(const RowRequest& request) const {
  return source::ToSparkJson(*RowArrowSchema(request));
}

std::shared_ptr<arrow::Array> IndexWorker::ConvertKeys(
    const std::string& column, const std::shared_ptr<arrow::Array>& values) const {
  RowRequest request;
  request.columns = {column};
  return index::ConvertEach(column, RowArrowSchema(request)->field(0)->type(), *values);
}

std::shared_ptr<arrow::RecordBatchReader> IndexWorker::Read(const std::vector<NamedFile>& files,
                                                            const RowRequest& request,
                                                            std::stop_token stop) const {
  auto schema = RowArrowSchema(request);
  const storage::IndexMetadata metadata = index_->ReadMetadata();
  const auto declared = build::DeclaredColumns(metadata);
  const auto lake =
      query::MakeAllVersions(declared, *index_->schema(), request.columns, request.with_places);
  auto set = std::make_shared<scan::FileSet>();
  set->schema = index_->schema();
  set->format = index_->format();
  set->read_options = index_->read_options();
  set->files =
      query::ScanFilesOf(*index_, build::LoadLoggedFiles(index_->layout(), metadata), files);
  std::vector<std::string> names;
  for (const scan::ScanFile& file : set->files) names.push_back(query::CanonicalOrSelf(file.uri));
  if (names.empty()) return Check(arrow::RecordBatchReader::Make({}, schema), "no files");

  if (row_groups_ != nullptr) row_groups_->BeforeQuery();
  const auto session = lake.functions.empty() ? sessions_->Take() : sessions_->Open();
  session->RegisterFiles(query::kLakeFiles, set);
  query::RegisterFunctions(lake, *session);

  std::string columns;
  const auto add = [&columns](const std::string& sql) {
    columns += (columns.empty() ? "" : ", ") + sql;
  };
  for (const std::string& name : request.columns) add("lake." + engine::Session::Quote(name));
  if (request.with_places) {
    add(query::kFilePlace);
    add(query::kRowPlace);
  }
  for (size_t i = 0; i < request.versions.size(); ++i) {
    const IndexedColumn& column = TemporalColumn(declared, request.versions[i]);
    add(query::PathSql(column.timestamp_column, *index_->schema()) + " AS " + VersionName(i));
  }
  std::string sql =
      "WITH lake AS NOT MATERIALIZED (" + lake.sql + ") SELECT " + columns + " FROM lake";
  if (request.keys != nullptr) {
    std::vector<std::shared_ptr<arrow::DataType>> types;
    std::string condition;
    for (size_t i = 0; i < request.on.size(); ++i) {
      types.push_back(lake.schema->GetFieldByName(request.on[i])->type());
      condition += (i == 0 ? "" : " AND ") + ("lake." + engine::Session::Quote(request.on[i])) +
                   " = keys.j" + std::to_string(i);
    }
    session->RegisterTable(query::kKeys, query::TypedKeys(*request.keys, request.on, types));
    sql += std::string(" SEMI JOIN ") + query::kKeys + " ON " + condition;
  }
  if (!request.where.empty()) sql += " WHERE " + request.where;
  auto rows = session->Query(sql, std::move(stop));
  return std::make_shared<RequestedRows>(std::move(schema), std::move(names), session,
                                         std::move(rows), row_groups_.get());
}

}  // namespace ariadne::spark
