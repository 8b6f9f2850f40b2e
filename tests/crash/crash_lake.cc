#include "crash_lake.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <stdexcept>
#include <utility>

#include <arrow/array.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/record_batch.h>
#include <arrow/scalar.h>
#include <arrow/table.h>
#include <arrow/type.h>
#include <gtest/gtest.h>

#include "ariadne/lake.h"
#include "source/file_uri.h"
#include "storage/delta_table.h"
#include "storage/file_list.h"

namespace ariadne::testing {

namespace {

namespace fs = std::filesystem;
using Kind = IndexedColumn::Kind;

constexpr int64_t kLimit = 25;

const std::vector<IndexedColumn>& FirstColumns() {
  static const std::vector<IndexedColumn> columns = {Bloom("id"), Regular("s"),
                                                     Exploded("tag_k", "tags", "k")};
  return columns;
}

const std::vector<IndexedColumn>& AllColumns() {
  static const std::vector<IndexedColumn> columns = {
      Bloom("id"), Regular("s"),     Exploded("tag_k", "tags", "k"), Regular("bin"),
      Range("ts"), Computed("loud"), Temporal("key", "ver")};
  return columns;
}

fs::path NewFolder() {
  const fs::path memory = "/dev/shm";
  const bool usable = fs::is_directory(memory) && ::access(memory.c_str(), W_OK) == 0;
  std::string pattern =
      ((usable ? memory : fs::temp_directory_path()) / "ariadne-crash-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("cannot make " + pattern);
  return pattern;
}

std::shared_ptr<arrow::Scalar> At(const arrow::Array& array, int64_t i) {
  return array.GetScalar(i).ValueOrDie();
}

/// Sorted lines, one a row.
std::vector<std::string> Lines(const storage::DeltaTable& table) {
  const auto rows = TestLake::Rows(table);
  std::vector<std::string> lines;
  for (int64_t i = 0; i < rows->num_rows(); ++i) {
    std::map<std::string, std::string> cells;
    for (int c = 0; c < rows->num_columns(); ++c) {
      cells[rows->field(c)->name()] = rows->column(c)->GetScalar(i).ValueOrDie()->ToString();
    }
    std::string& line = lines.emplace_back();
    for (const auto& [name, text] : cells) line += name + "=" + text + " | ";
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

/// Each row's scalars as text, what tells it from others; "" where its id, by which it is asked
/// for, is NULL.
std::vector<std::string> RowTexts(const arrow::Table& rows) {
  std::vector<std::string> texts;
  for (int64_t i = 0; i < rows.num_rows(); ++i) {
    std::string& text = texts.emplace_back();
    for (const char* column : {"id", "s", "d", "key", "ts", "ver"}) {
      const auto value = rows.GetColumnByName(column)->GetScalar(i).ValueOrDie();
      if (!value->is_valid && text.empty()) break;
      text += value->ToString() + " | ";
    }
  }
  return texts;
}

/// A table of keys: the ids of all rows.
std::shared_ptr<arrow::Table> AllIds(
    const std::map<std::string, std::shared_ptr<arrow::Table>>& files) {
  std::set<int64_t> ids;
  for (const auto& [uri, rows] : files) {
    const auto column = rows->CombineChunksToBatch().ValueOrDie()->GetColumnByName("id");
    const auto& values = static_cast<const arrow::Int64Array&>(*column);
    for (int64_t i = 0; i < values.length(); ++i) {
      if (values.IsValid(i)) ids.insert(values.Value(i));
    }
  }
  arrow::Int64Builder builder;
  for (const int64_t id : ids) EXPECT_TRUE(builder.Append(id).ok());
  return arrow::Table::Make(arrow::schema({arrow::field("id", arrow::int64())}),
                            {builder.Finish().ValueOrDie()});
}

}  // namespace

/// Which files hold which values.
struct CrashLake::Expected {
  struct Value {
    std::shared_ptr<arrow::Array> probe;
    /// Files that hold it; of a temporal column the one with its newest version first.
    std::vector<std::string> files;
  };
  struct Column {
    IndexedColumn declared;
    std::vector<Value> values;
  };
  std::vector<Column> columns;
};

CrashLake::CrashLake() : folder_(NewFolder()), lake_(std::make_unique<TestLake>(folder_)) {
  lake_->options() = SmallSteps();
  fs::create_directory(folder_ / "data");
}

CrashLake::~CrashLake() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

Options CrashLake::SmallSteps() {
  Options options;
  options.threads = 2;
  options.memory_bytes = 1;
  options.staging_consolidation_threshold = 3;
  options.large_index_limit = kLimit;
  options.lock_timeout_seconds = 60;  // A dead holder's lock is known by its process.
  options.lock_retry_interval_seconds = 0.01;
  return options;
}

Index CrashLake::Open(const fs::path& folder) {
  return Lake((folder / "root").string(), SmallSteps()).Open("test");
}

std::string CrashLake::DataFolder(const fs::path& folder) { return (folder / "data").string(); }

std::string CrashLake::DataFile(const fs::path& folder, int number) {
  return (folder / "data" / ("f " + std::to_string(number) + "%é.parquet")).string();
}

void CrashLake::Declare(bool all) {
  columns_ = all ? AllColumns() : FirstColumns();
  DeclareKinds(lake_.get(), columns_);
  expected_ = nullptr;
}

void CrashLake::Write(int number, bool many, bool track) {
  const auto rows = RandomKinds(&random_, many ? 60 : 8, many ? 60 : 20);
  const fs::path path = DataFile(folder_, number);
  const auto name = path.filename().string();
  const std::string uri = source::CanonicalUri(path.string());
  if (files_.contains(uri)) unsettled_.insert(uri);
  EXPECT_EQ(lake_->Write(name, rows), uri);
  files_[uri] = rows;
  expected_ = nullptr;
  if (track) lake_->Track({uri});
}

void CrashLake::Remove(int number) {
  const std::string path = DataFile(folder_, number);
  fs::remove(path);
  gone_.insert(source::CanonicalUri(path));
  unsettled_.insert(source::CanonicalUri(path));
}

void CrashLake::Settle() {
  for (const std::string& uri : gone_) files_.erase(uri);
  gone_.clear();
  unsettled_.clear();
  expected_ = nullptr;
}

void CrashLake::Commit(const std::map<int, std::vector<int64_t>>& files) {
  const fs::path folder = DataFolder(folder_);
  if (log_ == nullptr) log_ = std::make_unique<DeltaLog>(folder, *KindsSchema());
  before_ = std::move(table_);
  table_.clear();
  for (const auto& [number, deleted] : files) {
    table_[fs::path(DataFile(folder_, number)).filename().string()] = deleted;
  }
  log_->Commit(table_);
}

void CrashLake::CheckRows(bool in_step) {
  if (log_ == nullptr) return;
  // Rows that the tracked files give at least and at most, each with how often.
  std::map<std::string, int> least;
  std::map<std::string, int> most;
  Options options = SmallSteps();
  options.memory_bytes = 0;  // The engine needs more than a batch.
  const Index index = Lake((folder_ / "root").string(), options).Open("test");
  for (const TrackedFile& file : index.Files()) {
    const auto rows = RowTexts(*files_.at(file.uri));
    const std::string name = fs::path(source::DecodedUrl(file.uri)).filename().string();
    const auto lives = [&](const DeltaLog::Files& table, size_t row) {
      const auto found = table.find(name);
      return found != table.end() && !std::binary_search(found->second.begin(), found->second.end(),
                                                         static_cast<int64_t>(row));
    };
    const bool dropped = !in_step && !table_.contains(name);
    const bool fresh = in_step || !before_.contains(name);
    for (size_t row = 0; row < rows.size(); ++row) {
      if (rows[row].empty()) continue;
      const bool now = lives(table_, row);
      const bool then = lives(before_, row);
      if (dropped ? then : fresh ? now : now && then) ++least[rows[row]];
      if (dropped ? then : fresh ? now : now || then) ++most[rows[row]];
    }
  }
  std::map<std::string, int> found;
  const auto joined = index.Join(AllIds(files_), {.on = {"id"}}).rows->ToTable().ValueOrDie();
  for (const std::string& row : RowTexts(*joined)) ++found[row];
  for (const auto& [row, count] : least) {
    EXPECT_GE(found[row], count) << "a row is missing: " << row;
  }
  for (const auto& [row, count] : found) {
    EXPECT_LE(count, most[row]) << "a row that was deleted: " << row;
  }
}

void CrashLake::Keep() {
  fs::remove_all(folder_ / "kept");
  fs::copy(folder_ / "root", folder_ / "kept", fs::copy_options::recursive);
}

void CrashLake::Restore() {
  fs::remove_all(folder_ / "root");
  fs::copy(folder_ / "kept", folder_ / "root", fs::copy_options::recursive);
}

void CrashLake::CheckReader(size_t values) {
  if (expected_ == nullptr) {
    auto expected = std::make_shared<Expected>();
    for (const IndexedColumn& column : columns_) {
      Expected::Column& into = expected->columns.emplace_back();
      into.declared = column;
      struct Holder {
        std::string uri;
        int64_t version;
      };
      std::map<std::string, std::pair<std::shared_ptr<arrow::Scalar>, std::vector<Holder>>> holders;
      for (const auto& [uri, rows] : files_) {
        const auto array = ColumnValues(column, *rows);
        const auto versions =
            column.kind == Kind::kTemporal
                ? rows->CombineChunksToBatch().ValueOrDie()->GetColumnByName("ver")
                : nullptr;
        for (int64_t i = 0; i < array->length(); ++i) {
          const auto value = At(*array, i);
          if (!value->is_valid) continue;
          auto& [scalar, files] = holders[value->ToString()];
          scalar = value;
          const int64_t version = versions == nullptr ? 0
                                  : versions->IsNull(i)
                                      ? INT64_MIN
                                      : static_cast<const arrow::Int64Array&>(*versions).Value(i);
          if (files.empty() || files.back().uri != uri) files.push_back({uri, version});
          files.back().version = std::max(files.back().version, version);
        }
      }
      for (auto& [text, held] : holders) {
        auto& [scalar, files] = held;
        // Files are in the order of their names, and the first of equal versions counts.
        std::stable_sort(files.begin(), files.end(),
                         [](const Holder& a, const Holder& b) { return a.version > b.version; });
        Expected::Value& value = into.values.emplace_back();
        value.probe = arrow::MakeArrayFromScalar(*scalar, 1).ValueOrDie();
        for (const Holder& file : files) value.files.push_back(file.uri);
      }
    }
    expected_ = std::move(expected);
  }

  Options exclude = SmallSteps();
  exclude.unindexed = Unindexed::kExclude;
  const Index with = Open();
  const Index without = Lake((folder_ / "root").string(), exclude).Open("test");
  std::set<std::string> tracked;
  std::set<std::string> indexed;
  for (const TrackedFile& file : with.Files()) {
    tracked.insert(file.uri);
    if (file.indexed) indexed.insert(file.uri);
  }
  const auto check = [&](const Index& index, const std::set<std::string>& known,
                         const std::string& column, bool newest_only,
                         const Expected::Value& value) {
    const Located located = index.Locate({{column, value.probe}});
    const std::set<std::string> found(located.files.begin(), located.files.end());
    for (const std::string& uri : value.files) {
      // What a changed file holds by now, no index can know.
      if (!known.contains(uri) || unsettled_.contains(uri)) continue;
      EXPECT_TRUE(found.contains(uri))
          << "a wrong no: " << column << " " << value.probe->ToString() << " is in " << uri;
      if (newest_only) return;
    }
  };
  for (const Expected::Column& column : expected_->columns) {
    const bool newest_only = column.declared.kind == Kind::kTemporal;
    // A changed file may still hide the older versions of what it held.
    if (newest_only && !unsettled_.empty()) continue;
    const size_t all = column.values.size();
    const size_t count = values == 0 ? all : std::min(values, all);
    for (size_t i = 0; i < count; ++i) {
      const auto& value = column.values[values == 0 ? i : random_() % all];
      check(with, tracked, column.declared.column, newest_only, value);
      check(without, indexed, column.declared.column, newest_only, value);
    }
  }
}

CrashLake::End CrashLake::Ended() const {
  End end;
  const auto& layout = lake_->layout();
  if (const auto main = lake_->Main()) end.main = Lines(*main);
  for (const std::string& name :
       layout.large_index("").store->ListNames(layout.folder().path + "/large_indexes")) {
    const auto table =
        storage::DeltaTable::Open(layout.large_index(name.substr(0, name.find('/'))));
    if (table == nullptr) continue;
    for (const std::string& line : Lines(*table)) end.large.push_back(name + ": " + line);
  }
  for (const auto& entry : storage::FileList(layout.file_list()).Entries()) {
    end.tracked.push_back(entry.filename);
  }
  std::sort(end.tracked.begin(), end.tracked.end());
  storage::IndexMetadata metadata = lake_->Metadata();
  metadata.batches_since_compact = 0;  // Depends on how often a batch was begun.
  end.metadata = metadata.ToJson();
  return end;
}

void CrashLake::CheckLeftovers() {
  const fs::path root = folder_ / "root";
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    // Vacuum leaves what may be a write in progress.
    if (entry.path().extension() == ".ariadne-tmp") {
      fs::last_write_time(entry.path(), fs::file_time_type::clock::now() - std::chrono::hours(1));
    }
  }
  Open().Vacuum({.retention_hours = 0, .force = true});

  const auto& layout = lake_->layout();
  std::set<std::string> owned = {layout.metadata().path};
  const auto own = [&](const storage::ObjectRef& folder) {
    const auto table = storage::DeltaTable::Open(folder);
    std::set<std::string> names;
    if (table == nullptr) return names;
    for (const storage::DataFile& file : table->files()) {
      owned.insert(folder.path + "/" + file.path);
      names.insert(file.path);
    }
    return names;
  };
  const std::set<std::string> data_files = own(layout.main_index());
  own(layout.file_list());
  own(storage::IndexLayout::Join(layout.native(), "file_states"));
  if (log_ != nullptr) owned.insert(layout.native().path + "/deleted_rows.json");
  for (const IndexedColumn& column : columns_) {
    own(layout.large_index(column.column));
    for (const std::string& name : data_files) {
      owned.insert(layout.native().path + "/lookup/" + column.column + "/" + name + ".lookup");
    }
  }
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    if (entry.is_directory()) continue;
    const std::string path = entry.path().string().substr(1);
    const bool log = path.find("/_delta_log/") != std::string::npos &&
                     path.find("/staging/") == std::string::npos;
    const bool zone = path.starts_with(layout.native().path + "/token_zones/");
    EXPECT_TRUE(log || zone || owned.contains(path)) << "left over: " << path;
  }
}

}  // namespace ariadne::testing
