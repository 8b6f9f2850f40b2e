#include "spark/index_worker.h"

#include <algorithm>
#include <set>
#include <unordered_set>

#include <arrow/array.h>
#include <arrow/array/builder_binary.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/compute/initialize.h>
#include <arrow/record_batch.h>
#include <arrow/table.h>
#include <arrow/type.h>

#include "ariadne/errors.h"
#include "build/distributed_update.h"
#include "build/table_rows.h"
#include "index/column_index.h"
#include "query/arrow_check.h"
#include "query/derived_columns.h"
#include "query/lake_snapshot.h"
#include "query/locate.h"
#include "query/newest_probe.h"
#include "query/parallel_for.h"
#include "query/row_condition.h"
#include "query/row_group_service.h"
#include "query/tracked_files.h"
#include "source/file_uri.h"

namespace ariadne::spark {

namespace {

using query::Check;

constexpr char kFilename[] = "filename";

/// Builds a batch of text columns and, where there is one, a column of sizes or flags.
class FileRows {
 public:
  explicit FileRows(std::vector<std::string> text_columns) : names_(std::move(text_columns)) {
    texts_.resize(names_.size());
  }

  void Add(std::initializer_list<std::string_view> texts) {
    auto at = texts.begin();
    for (arrow::StringBuilder& builder : texts_) Check(builder.Append(*at++), "file names");
  }
  void AddSize(int64_t size) { Check(sizes_.Append(size), "file sizes"); }
  void AddFlag(bool flag) { Check(flags_.Append(flag), "files"); }

  std::shared_ptr<arrow::RecordBatch> Finish(const char* size = nullptr,
                                             const char* flag = nullptr) {
    arrow::FieldVector fields;
    arrow::ArrayVector columns;
    for (size_t i = 0; i < names_.size(); ++i) {
      fields.push_back(arrow::field(names_[i], arrow::utf8()));
      columns.push_back(Check(texts_[i].Finish(), "file names"));
    }
    if (size != nullptr) {
      fields.push_back(arrow::field(size, arrow::int64()));
      columns.push_back(Check(sizes_.Finish(), "file sizes"));
    }
    if (flag != nullptr) {
      fields.push_back(arrow::field(flag, arrow::boolean()));
      columns.push_back(Check(flags_.Finish(), "files"));
    }
    const int64_t rows = columns.front()->length();
    return arrow::RecordBatch::Make(arrow::schema(std::move(fields)), rows, std::move(columns));
  }

 private:
  std::vector<std::string> names_;
  std::vector<arrow::StringBuilder> texts_;
  arrow::Int64Builder sizes_;
  arrow::BooleanBuilder flags_;
};

index::ValueBounds BoundsOf(Condition::Kind kind, std::shared_ptr<arrow::Array> value) {
  index::ValueBounds bounds;
  switch (kind) {
    case Condition::Kind::kLess:
    case Condition::Kind::kLessOrEqual:
      bounds.upper = std::move(value);
      bounds.upper_inclusive = kind == Condition::Kind::kLessOrEqual;
      break;
    default:
      bounds.lower = std::move(value);
      bounds.lower_inclusive = kind == Condition::Kind::kGreaterOrEqual;
  }
  return bounds;
}

/// kAny where no index judges the condition over all versions of a row.
query::RowCondition RowConditionOf(const query::LakeSnapshot& snapshot,
                                   const Condition& condition) {
  query::RowCondition result;
  const internal::IndexImpl& index = snapshot.index();
  if (!query::IsIndexed(snapshot.metadata(), condition.column)) return result;
  const IndexedColumn column = query::FindIndexedColumn(snapshot.metadata(), *index.schema(),
                                                        index.layout().name(), condition.column);
  if (column.kind == IndexedColumn::Kind::kTemporal) return result;
  const auto type = query::IndexedType(column, *index.schema());
  auto values = index::ConvertProbe(condition.column, type, *condition.values);
  result.column = condition.column;
  if (condition.kind == Condition::Kind::kIn) {
    result.kind =
        values->length() == 0 ? query::RowCondition::Kind::kNever : query::RowCondition::Kind::kIn;
    result.values = std::move(values);
  } else if (values->length() == 1) {
    result.kind = query::RowCondition::Kind::kWithin;
    result.bounds = BoundsOf(condition.kind, std::move(values));
  }
  return result;
}

}  // namespace

IndexWorker::IndexWorker(const std::string& root, const std::string& index, const Options& options,
                         const rowgroup::RowGroupOptions& row_groups)
    : lake_(std::make_shared<internal::LakeImpl>(root, options)) {
  Check(arrow::compute::Initialize(), "Arrow's functions");
  index_ = internal::OpenIndex(lake_, index);
  if (index_ == nullptr) {
    throw IndexNotFound("no index '" + index + "' at " + lake_->root_url + "; create it first");
  }
  engine::SessionOptions session;
  session.memory_bytes = options.memory_bytes;
  session.threads = options.threads;
  if (row_groups.any()) {
    row_groups_ = query::OpenRowGroups(*lake_, row_groups);
    session.row_groups = query::RowGroupIndexingOf(row_groups, row_groups_->store());
  }
  sessions_ = std::make_unique<query::SessionPool>(std::move(session), lake_->stores);
}

IndexWorker::~IndexWorker() = default;

std::string IndexWorker::BuildShare(const std::string& share, const std::stop_token& stop) const {
  const build::UpdateTarget target = index_->update_target();
  return build::BuildShare(target, build::UpdateShare::Parse(share, *target.stores), stop).ToJson();
}

IndexWorker::Parts IndexWorker::ListParts() const {
  Parts parts;
  int64_t rows = 0;
  if (const auto table = storage::DeltaTable::Open(index_->layout().main_index())) {
    for (const storage::DataFile& file : table->files()) {
      parts.main_index.push_back(file.path);
      rows += std::max<int64_t>(0, file.num_records);
    }
  }
  if (const auto table = storage::DeltaTable::Open(index_->layout().file_list())) {
    for (const storage::DataFile& file : table->files()) {
      parts.file_list.push_back(file.path);
      parts.files += std::max<int64_t>(0, file.num_records);
      parts.has_list = parts.has_list || file.num_records != 0;
    }
  }
  parts.files = std::max(parts.files, rows);
  return parts;
}

std::shared_ptr<arrow::RecordBatch> IndexWorker::Locate(const std::vector<Probe>& probes) const {
  const query::LocatedFiles located = query::LocateFiles(*index_, probes);
  FileRows rows({"file"});
  for (size_t i = 0; i < located.report.files.size(); ++i) {
    rows.Add({located.report.files[i]});
    rows.AddSize(located.sizes[i]);
    rows.AddFlag(false);
  }
  for (const std::string& file : located.newest_elsewhere) {
    rows.Add({file});
    rows.AddSize(-1);
    rows.AddFlag(true);
  }
  return rows.Finish("size", "superseding");
}

std::shared_ptr<arrow::RecordBatch> IndexWorker::Select(
    const std::vector<Condition>& conditions) const {
  const auto snapshot = query::LakeSnapshot::Take(*index_);
  query::FileSelection selection = query::SelectAll(*snapshot);
  for (const Condition& condition : conditions) {
    query::Narrow(*snapshot, RowConditionOf(*snapshot, condition), selection);
  }
  FileRows rows({"file"});
  for (const scan::ScanFile& file : query::ScanFilesOf(*snapshot, selection)) {
    rows.Add({file.uri});
    rows.AddSize(file.size);
    rows.AddFlag(false);
  }
  return rows.Finish("size", "superseding");
}

struct IndexWorker::MainParts {
  std::shared_ptr<const query::MainIndex> index;
  storage::IndexMetadata metadata;
};

IndexWorker::MainParts IndexWorker::LoadParts(const std::vector<std::string>& parts) const {
  MainParts result;
  result.metadata = index_->ReadMetadata();
  const auto table = storage::DeltaTable::Open(index_->layout().main_index());
  if (table == nullptr) return result;
  std::set<std::string> wanted(parts.begin(), parts.end());
  std::set<std::string> there;
  for (const storage::DataFile& file : table->files()) there.insert(file.path);
  const bool replaced = std::any_of(wanted.begin(), wanted.end(),
                                    [&](const std::string& part) { return !there.contains(part); });
  std::shared_ptr<const query::MainIndex> previous;
  {
    const std::lock_guard lock(mutex_);
    previous = loaded_;
  }
  result.index = query::MainIndex::Load(table, previous.get(), query::StoreThreads(*lake_),
                                        replaced ? nullptr : &wanted);
  if (!result.index->failure().empty() && lake_->options.unindexed != Unindexed::kInclude) {
    throw StorageError("the main index of \"" + index_->layout().name() +
                       "\" cannot be read whole (" + result.index->failure() +
                       "), so files would be left out that may hold the values: ask with "
                       "unindexed=include until it is built again");
  }
  const std::lock_guard lock(mutex_);
  loaded_ = result.index;
  return result;
}

std::shared_ptr<arrow::RecordBatch> IndexWorker::Candidates(
    const std::vector<std::string>& parts, const std::vector<Probe>& probes) const {
  const MainParts loaded = LoadParts(parts);
  FileRows rows({"key", "file"});
  const auto asks = query::MakeAsks(*index_, loaded.metadata, probes);
  if (loaded.index == nullptr || asks.empty()) return rows.Finish("size");
  query::ProbeSite site;
  site.main_index = loaded.index.get();
  site.layout = &index_->layout();
  const build::LoggedFiles logged = build::LoadLoggedFiles(index_->layout(), loaded.metadata);
  site.logged = &logged;
  site.token_time_zone = lake_->options.token_time_zone;
  site.named_by_array = build::ExplodedNamedByArray(loaded.metadata);
  site.auto_bloom = loaded.metadata.auto_bloom;
  site.auto_bloom_fpr = lake_->options.auto_bloom_fpr;
  site.threads = query::StoreThreads(*lake_);
  query::RowMasks all;
  for (const auto& part : loaded.index->parts()) all.emplace_back(part->num_rows(), 1);
  query::RowMasks masks = all;
  for (const query::ColumnAsk& ask : asks) {
    if (ask.values->length() == 0) {
      for (auto& mask : masks) std::fill(mask.begin(), mask.end(), 0);
    } else if (ask.timestamp == nullptr) {
      query::ProbeRows(ask, site, masks);
    } else {
      // What other columns rule out must not hide a newer version.
      query::RowMasks newest = all;
      query::ProbeNewest(ask, site, newest);
      for (size_t p = 0; p < masks.size(); ++p) {
        for (size_t row = 0; row < masks[p].size(); ++row) masks[p][row] &= newest[p][row];
      }
    }
  }
  for (size_t p = 0; p < masks.size(); ++p) {
    const query::MainIndexPart& part = *loaded.index->parts()[p];
    for (int64_t row = 0; row < part.num_rows(); ++row) {
      if (masks[p][row] == 0) continue;
      const std::string_view name = part.filename(row);
      rows.Add({query::CanonicalOrSelf(name), name});
      rows.AddSize(part.file_size(row));
    }
  }
  return rows.Finish("size");
}

std::shared_ptr<arrow::RecordBatch> IndexWorker::Names(
    const std::vector<std::string>& parts) const {
  const MainParts loaded = LoadParts(parts);
  FileRows rows({"key"});
  if (loaded.index == nullptr) return rows.Finish();
  for (const auto& part : loaded.index->parts()) {
    for (int64_t row = 0; row < part->num_rows(); ++row) {
      rows.Add({query::CanonicalOrSelf(part->filename(row))});
    }
  }
  return rows.Finish();
}

std::shared_ptr<arrow::RecordBatch> IndexWorker::Tracked(
    const std::vector<std::string>& parts) const {
  FileRows rows({"key", "file"});
  const auto table = storage::DeltaTable::Open(index_->layout().file_list());
  if (table == nullptr) return rows.Finish();
  const std::set<std::string> wanted(parts.begin(), parts.end());
  const auto add = [&rows](const arrow::Array& names) {
    const auto& strings = static_cast<const arrow::StringArray&>(names);
    for (int64_t i = 0; i < strings.length(); ++i) {
      if (strings.IsNull(i)) continue;
      rows.Add({query::CanonicalOrSelf(strings.GetView(i)), strings.GetView(i)});
    }
  };
  std::set<std::string> there;
  for (const storage::DataFile& file : table->files()) there.insert(file.path);
  const bool replaced = std::any_of(wanted.begin(), wanted.end(),
                                    [&](const std::string& part) { return !there.contains(part); });
  if (replaced || !table->is_plain()) {
    const auto reader = table->Read({kFilename});
    while (const auto batch = Check<StorageError>(reader->Next(), "the file list")) {
      add(*batch->column(0));
    }
    return rows.Finish();
  }
  for (const storage::DataFile& file : table->files()) {
    if (!wanted.contains(file.path)) continue;
    build::TableRows reader(*table, file, arrow::schema({arrow::field(kFilename, arrow::utf8())}));
    while (const auto batch = reader.Next()) add(*batch->column(0));
  }
  return rows.Finish();
}

std::shared_ptr<arrow::RecordBatch> IndexWorker::Unindexed(
    const std::vector<std::string>& entries) const {
  query::TrackingOptions options = query::TrackingIn(*lake_, query::StoreThreads(*lake_));
  options.sizes = true;
  std::vector<storage::FileListEntry> list;
  list.reserve(entries.size());
  for (const std::string& entry : entries) list.push_back({entry, 0});
  FileRows rows({"key", "file"});
  if (list.empty()) return rows.Finish("size");
  for (const auto& file : query::MatchTrackedFiles(list, nullptr, options).unindexed) {
    rows.Add({query::CanonicalOrSelf(file.uri), file.uri});
    rows.AddSize(file.size);
  }
  return rows.Finish("size");
}

rowgroup::StoreCounters IndexWorker::RowGroupCounters() const {
  return row_groups_ == nullptr ? rowgroup::StoreCounters{} : row_groups_->store()->counters();
}

}  // namespace ariadne::spark
