#include "scan/file_sets.h"

#include <arrow/type.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <utility>

#include "ariadne/errors.h"

namespace ariadne::scan {

namespace {

// SQL identifiers compare without ASCII case, as the engine does.
std::string FoldCase(std::string name) {
  for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return name;
}

void CheckNames(const std::string& set, const arrow::Schema& schema) {
  std::set<std::string> seen;
  for (const auto& field : schema.fields()) {
    if (!seen.insert(FoldCase(field->name())).second) {
      throw SchemaMismatch("The schema of '" + set + "' has two columns named '" + field->name() +
                           "' when case is ignored: rename one of them");
    }
  }
}

}  // namespace

bool RegisteredSet::BuildsIndexes() const {
  if (!indexing || !(indexing->columns.any() || indexing->expressions)) return false;
  int64_t bytes = 0;
  for (const ScanFile& file : files->files) bytes += std::max<int64_t>(file.size, 0);
  return bytes >= indexing->min_table_bytes;
}

std::vector<std::pair<std::string, std::string>> RegisteredSet::RowGroupsInWords() const {
  std::vector<std::pair<std::string, std::string>> words = {
      {"Files opened", std::to_string(files_opened)},
      {"Row groups", std::to_string(row_groups_read) + "/" + std::to_string(row_groups_found)}};
  for (const auto& [by, count] :
       {std::pair("statistics", row_groups_skipped_by_statistics.load()),
        std::pair("the files' bloom filters", row_groups_skipped_by_bloom_filter.load()),
        std::pair("row-group indexes", row_groups_skipped_by_index.load())}) {
    if (count > 0) words.emplace_back(std::string("Ruled out by ") + by, std::to_string(count));
  }
  return words;
}

void FileSets::Put(const std::string& name, std::shared_ptr<const FileSet> files,
                   std::function<void(const std::shared_ptr<const RegisteredSet>&)> on_scan,
                   std::function<void(bool)> on_explain) {
  CheckNames(name, *files->schema);
  auto set = std::make_shared<RegisteredSet>();
  set->files = std::move(files);
  set->indexing = indexing_;
  set->on_scan = std::move(on_scan);
  set->on_explain = std::move(on_explain);
  std::lock_guard lock(mutex_);
  sets_[name] = std::move(set);
}

void FileSets::Remove(const std::string& name) {
  std::lock_guard lock(mutex_);
  sets_.erase(name);
}

std::shared_ptr<RegisteredSet> FileSets::Find(const std::string& name) const {
  std::lock_guard lock(mutex_);
  auto it = sets_.find(name);
  return it == sets_.end() ? nullptr : it->second;
}

ScanMetrics FileSets::Metrics(const std::string& name) const {
  auto set = Find(name);
  if (!set) throw InvalidArgument("No file set named '" + name + "' was registered");
  ScanMetrics metrics;
  metrics.files_opened = set->files_opened;
  metrics.row_groups_read = set->row_groups_read;
  metrics.row_groups_skipped =
      set->row_groups_skipped_by_statistics + set->row_groups_skipped_by_bloom_filter;
  metrics.row_groups_skipped_by_index = set->row_groups_skipped_by_index;
  metrics.rows_read = set->rows_read;
  return metrics;
}

}  // namespace ariadne::scan
