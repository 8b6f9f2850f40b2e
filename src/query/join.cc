#include "query/join.h"

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include <arrow/array.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/array/concatenate.h>
#include <arrow/array/util.h>
#include <arrow/compute/api_vector.h>
#include <arrow/compute/initialize.h>
#include <arrow/datum.h>
#include <arrow/record_batch.h>
#include <arrow/table.h>
#include <arrow/type.h>

#include "ariadne/errors.h"
#include "build/update.h"
#include "engine/session.h"
#include "query/arrow_check.h"
#include "query/conform.h"
#include "query/join_plan.h"
#include "query/key_table.h"
#include "query/lake_relation.h"
#include "query/lake_snapshot.h"
#include "query/locate.h"
#include "query/session_pool.h"
#include "query/view_types.h"
#include "storage/debug_log.h"

namespace ariadne::query {

namespace {

constexpr int64_t kBatchRows = 1 << 16;

std::shared_ptr<arrow::Array> RowNumbers(int64_t begin, int64_t end) {
  arrow::Int64Builder builder;
  Check(builder.Reserve(end - begin), "memory for the keys");
  for (int64_t i = begin; i < end; ++i) builder.UnsafeAppend(i);
  return Check(builder.Finish(), "memory for the keys");
}

/// Engine rows of a join without any file: every key unmatched, or nothing.
class NoFilesReader final : public arrow::RecordBatchReader {
 public:
  NoFilesReader(std::shared_ptr<arrow::Schema> schema, int64_t keys)
      : schema_(std::move(schema)), keys_(keys) {}

  std::shared_ptr<arrow::Schema> schema() const override { return schema_; }

  arrow::Status ReadNext(std::shared_ptr<arrow::RecordBatch>* batch) override {
    batch->reset();
    if (next_ >= keys_) return arrow::Status::OK();
    const int64_t end = std::min(keys_, next_ + kBatchRows);
    arrow::ArrayVector columns = {RowNumbers(next_, end)};
    for (int i = 1; i < schema_->num_fields(); ++i) {
      ARROW_ASSIGN_OR_RAISE(auto nulls,
                            arrow::MakeArrayOfNull(schema_->field(i)->type(), end - next_));
      columns.push_back(std::move(nulls));
    }
    *batch = arrow::RecordBatch::Make(schema_, end - next_, std::move(columns));
    next_ = end;
    return arrow::Status::OK();
  }

 private:
  std::shared_ptr<arrow::Schema> schema_;
  int64_t keys_;
  int64_t next_ = 0;
};

/// The result's rows from the engine's: columns of the keys are taken by row number, so they keep
/// types and values that the engine does not know.
class JoinReader final : public arrow::RecordBatchReader {
 public:
  JoinReader(JoinPlan plan, std::shared_ptr<arrow::Table> keys,
             std::shared_ptr<engine::Session> session,
             std::shared_ptr<arrow::RecordBatchReader> rows)
      : plan_(std::move(plan)),
        keys_(std::move(keys)),
        session_(std::move(session)),
        rows_(std::move(rows)) {}

  std::shared_ptr<arrow::Schema> schema() const override { return plan_.schema; }

  arrow::Status ReadNext(std::shared_ptr<arrow::RecordBatch>* batch) override {
    std::shared_ptr<arrow::RecordBatch> rows;
    do {
      ARROW_RETURN_NOT_OK(rows_->ReadNext(&rows));
      if (!rows) {
        batch->reset();
        return arrow::Status::OK();
      }
    } while (rows->num_rows() == 0);
    arrow::ArrayVector columns;
    for (size_t i = 0; i < plan_.columns.size(); ++i) {
      const auto& type = plan_.schema->field(static_cast<int>(i))->type();
      ARROW_ASSIGN_OR_RAISE(auto column, plan_.columns[i].from_keys
                                             ? KeyColumn(plan_.columns[i].place, *rows)
                                             : LakeColumn(plan_.columns[i].place, *rows, type));
      columns.push_back(std::move(column));
    }
    *batch = arrow::RecordBatch::Make(plan_.schema, rows->num_rows(), std::move(columns));
    return arrow::Status::OK();
  }

  arrow::Status Close() override { return rows_->Close(); }

 private:
  arrow::Result<std::shared_ptr<arrow::Array>> LakeColumn(
      int place, const arrow::RecordBatch& rows, const std::shared_ptr<arrow::DataType>& type) {
    return Conform(rows.column(place + (plan_.returns_keys ? 1 : 0)), type);
  }

  arrow::Result<std::shared_ptr<arrow::Array>> KeyColumn(int place,
                                                         const arrow::RecordBatch& rows) {
    ARROW_ASSIGN_OR_RAISE(
        arrow::Datum taken,
        arrow::compute::Take(arrow::Datum(keys_->column(place)), arrow::Datum(rows.column(0)),
                             arrow::compute::TakeOptions::NoBoundsCheck()));
    if (taken.is_array()) return taken.make_array();
    const auto& chunks = *taken.chunked_array();
    if (chunks.num_chunks() == 1) return chunks.chunk(0);
    return arrow::Concatenate(chunks.chunks());
  }

  JoinPlan plan_;
  std::shared_ptr<arrow::Table> keys_;
  std::shared_ptr<engine::Session> session_;  ///< Outlives `rows_`, which it feeds.
  std::shared_ptr<arrow::RecordBatchReader> rows_;
};

std::shared_ptr<arrow::RecordBatchReader> RowsOfNoFiles(const JoinPlan& plan,
                                                        const arrow::Schema& lake, int64_t keys) {
  arrow::FieldVector fields;
  if (plan.returns_keys) fields.push_back(arrow::field("rid", arrow::int64()));
  for (const std::string& column : plan.lake_columns) fields.push_back(lake.GetFieldByName(column));
  return std::make_shared<NoFilesReader>(arrow::schema(fields), plan.keeps_all_keys ? keys : 0);
}

std::shared_ptr<scan::FileSet> FilesToScan(const internal::IndexImpl& index,
                                           const LocatedFiles& located, bool with_newest) {
  std::vector<std::pair<std::string, int64_t>> names;
  for (size_t i = 0; i < located.report.files.size(); ++i) {
    names.emplace_back(located.report.files[i], located.sizes[i]);
  }
  if (with_newest) {
    for (const std::string& uri : located.newest_elsewhere) names.emplace_back(uri, -1);
  }
  auto files = std::make_shared<scan::FileSet>();
  files->schema = index.schema();
  files->format = index.format();
  files->read_options = index.read_options();
  files->files = ScanFilesOf(index, *located.logged, names);
  return files;
}

/// Those of the join columns' probes that have an index: they prune, the other columns are compared
/// in the join alone. Throws ColumnNotFound where the lake lacks a column or none has an index.
std::vector<Probe> PruningProbes(const internal::IndexImpl& index,
                                 const storage::IndexMetadata& metadata,
                                 std::vector<Probe> probes) {
  const auto is_indexed = [&](const Probe& probe) { return IsIndexed(metadata, probe.column); };
  const bool any = std::any_of(probes.begin(), probes.end(), is_indexed);
  for (const Probe& probe : probes) {
    if (any && index.schema()->GetFieldByName(probe.column)) continue;
    (void)FindIndexedColumn(metadata, *index.schema(), index.layout().name(), probe.column);
  }
  std::erase_if(probes, std::not_fn(is_indexed));
  return probes;
}

void SayPlan(engine::Session& session, const std::string& sql) {
  const auto table = Check(session.Query("EXPLAIN " + sql)->ToTable(), "the engine's plan");
  std::string text = "the engine runs " + sql;
  for (const auto& chunk : table->column(1)->chunks()) {
    const auto& plans = static_cast<const arrow::StringArray&>(*chunk);
    for (int64_t i = 0; i < plans.length(); ++i) text += "\n" + plans.GetString(i);
  }
  storage::Debug(text);
}

}  // namespace

Joined JoinLake(const internal::IndexImpl& index, const std::shared_ptr<arrow::Table>& given,
                const JoinOptions& options) {
  Check(arrow::compute::Initialize(), "Arrow's functions");
  if (!given) throw InvalidArgument("a join needs a table of keys");
  const auto keys = WithoutViews(given);
  const storage::IndexMetadata metadata = index.ReadMetadata();
  const std::vector<Probe> probes = PruningProbes(index, metadata, ProbesOf(*keys, options.on));
  const LakeRelation lake =
      MakeLakeRelation(build::DeclaredColumns(metadata), *index.schema(), options);
  JoinPlan plan = PlanJoin(*lake.schema, *keys->schema(), options);
  LocatedFiles located = LocateFiles(index, probes);

  const auto combined = Check(keys->CombineChunks(), "the keys");
  std::shared_ptr<engine::Session> session;
  std::shared_ptr<arrow::RecordBatchReader> rows;
  if (located.report.files.empty()) {
    rows = RowsOfNoFiles(plan, *lake.schema, keys->num_rows());
  } else {
    std::vector<std::shared_ptr<arrow::DataType>> types;
    for (const std::string& column : options.on) {
      types.push_back(lake.schema->GetFieldByName(column)->type());
    }
    SessionPool& sessions = *index.lake().sessions;
    session = lake.functions.empty() ? sessions.Take() : sessions.Open();
    session->RegisterFiles(kLakeFiles, FilesToScan(index, located, lake.keeps_newest));
    session->RegisterTable(kKeys, TypedKeys(*combined, options.on, types));
    RegisterFunctions(lake, *session);
    const std::string sql = "WITH lake AS NOT MATERIALIZED (" + lake.sql + ") " + plan.sql;
    if (storage::DebugIsOn()) SayPlan(*session, sql);
    rows = session->Query(sql, options.stop);
  }
  Joined joined;
  joined.files_opened = [reading = std::weak_ptr<engine::Session>(session)]() -> int64_t {
    const auto read = reading.lock();
    return read ? read->Metrics(kLakeFiles).files_opened : 0;
  };
  joined.rows =
      std::make_shared<JoinReader>(std::move(plan), combined, std::move(session), std::move(rows));
  joined.located = std::move(located.report);
  return joined;
}

}  // namespace ariadne::query
