#include "build/workspace.h"

#include <unistd.h>

#include <algorithm>

#include <arrow/type.h>

#include "source/spark_schema.h"

namespace ariadne::build {

namespace {

constexpr int64_t kSmallestBudget = 1 << 20;

}  // namespace

LockKeeper::LockKeeper(storage::Lock* lock, const Options& options)
    : lock_(lock),
      interval_(std::chrono::duration_cast<Clock::duration>(
          std::chrono::duration<double>(options.lock_timeout_seconds / 5))),
      refreshed_(Clock::now()) {}

void LockKeeper::Tick() {
  if (Clock::now() - refreshed_ >= interval_) Refresh();
}

void LockKeeper::Refresh() {
  lock_->Refresh();
  refreshed_ = Clock::now();
}

void LockKeeper::Sign(storage::TableChange* change) {
  lock_->Check();
  change->app_id = lock_->correlation_id();
  change->app_version = ++commits_;
}

int64_t OperationMemory(const Options& options) {
  if (options.memory_bytes > 0) return std::max(options.memory_bytes, kSmallestBudget);
  const int64_t pages = ::sysconf(_SC_PHYS_PAGES);
  const int64_t page = ::sysconf(_SC_PAGESIZE);
  return std::max<int64_t>(pages > 0 && page > 0 ? pages * page / 4 : 0, int64_t{256} << 20);
}

void Workspace::Prepare() {
  columns = DeclaredColumns(metadata);
  memory_bytes = OperationMemory(target.options);
  context.memory_bytes = memory_bytes / 4;
  if (!target.options.token_time_zone.empty()) {
    context.token_time_zone = target.options.token_time_zone;
  }
}

void Workspace::PlanBuilding() {
  schema = source::FromSparkJson(metadata.schema_json);
  plans = PlanColumns(columns, *schema);
}

std::vector<std::string> Workspace::LookupColumns() const {
  std::vector<std::string> names;
  for (const IndexedColumn& column : columns) {
    // The lookups hold values, and a temporal cell holds versions.
    if (!index::KeepsValues(column.kind) || column.kind == IndexedColumn::Kind::kTemporal) continue;
    names.push_back(index::StorageColumn(column));
  }
  return names;
}

std::vector<std::string> Workspace::FilterColumns() const {
  std::vector<std::string> names = metadata.auto_bloom;
  for (size_t i = 0; i < plans.size(); ++i) {
    const std::string& name = plans[i].declared.column;
    if (large->HasFilters(static_cast<int>(i)) &&
        std::find(names.begin(), names.end(), name) == names.end()) {
      names.push_back(name);
    }
  }
  return names;
}

void Workspace::MakeMainSchema() {
  storage::IndexMetadata with_filters = metadata;
  with_filters.auto_bloom = FilterColumns();
  main_schema_json = MainIndexSchema(with_filters, *schema);
}

std::shared_ptr<arrow::Schema> MainRowSchema(const Workspace& workspace,
                                             const storage::DeltaTable* main,
                                             std::string* added_json) {
  const auto declared = source::FromSparkJson(workspace.main_schema_json);
  if (main == nullptr) return declared;
  const auto existing = source::FromSparkJson(main->schema_json());
  arrow::FieldVector fields = existing->fields();
  std::string added;
  for (const auto& field : declared->fields()) {
    if (existing->GetFieldByName(field->name()) != nullptr) continue;
    fields.push_back(field);
    if (!added.empty()) added += ',';
    added += source::FieldToSparkJson(*field);
  }
  if (added_json != nullptr) {
    added_json->clear();
    if (!added.empty()) added_json->append("[").append(added).append("]");
  }
  return arrow::schema(fields);
}

std::shared_ptr<arrow::Schema> StagedRowSchema(const arrow::Schema& main_rows) {
  arrow::FieldVector fields = main_rows.fields();
  fields.push_back(arrow::field(kStagedAt, arrow::timestamp(arrow::TimeUnit::MICRO, "UTC")));
  fields.push_back(arrow::field(kBatchId, arrow::utf8()));
  return arrow::schema(fields);
}

}  // namespace ariadne::build
