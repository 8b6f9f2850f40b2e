#include "build/delete.h"

#include <algorithm>
#include <map>
#include <set>

#include "ariadne/errors.h"
#include "build/file_states.h"
#include "build/locked_index.h"
#include "build/row_removal.h"
#include "build/staging_removal.h"
#include "storage/file_list.h"

namespace ariadne::build {

std::set<std::string> Untrack(const UpdateTarget& target, const std::set<std::string>& keys) {
  const auto lock = storage::Lock::Acquire(target.layout.file_list_lock(), target.options);
  storage::FileList list(target.layout.file_list());
  std::set<std::string> known;
  std::vector<std::string> spellings;
  for (const storage::FileListEntry& entry : list.Entries()) {
    const std::string key = FileKey(entry.filename);
    if (!keys.contains(key)) continue;
    known.insert(key);
    spellings.push_back(entry.filename);
  }
  lock->Check();
  list.Remove(spellings);
  return known;
}

std::set<std::string> RemoveFileRows(LockedIndex* index, const std::set<std::string>& keys) {
  if (keys.empty()) return {};
  const storage::IndexLayout& layout = index->layout();
  std::set<std::string> known;
  const auto remove_from = [&](const storage::ObjectRef& folder, bool with_lookups) {
    known.merge(RemoveRows(&index->workspace(), folder, keys, with_lookups).keys);
  };
  // First: a record must never outlive the row that was made from what it describes.
  FileStates::Forget(&index->workspace(), keys);
  FinishStagingRemoval(layout);
  remove_from(layout.staging(), false);
  for (const std::string& column : LargeIndexColumns(layout)) {
    remove_from(layout.large_index(column), false);
  }
  remove_from(layout.main_index(), true);
  index->WriteTotals();
  return known;
}

DeleteReport Delete(const UpdateTarget& target, const std::vector<std::string>& files) {
  if (files.empty()) throw InvalidArgument("delete needs the name of one file at least");
  std::map<std::string, std::set<std::string>> asked;  // Name as given -> its keys.
  std::set<std::string> keys;
  for (const std::string& file : files) {
    if (file.empty()) throw InvalidArgument("delete was given an empty file name");
    asked[file] = KeysOf(file, target.options.path_map);
    keys.insert(asked[file].begin(), asked[file].end());
  }

  LockedIndex index(target, {});
  std::set<std::string> known = RemoveFileRows(&index, keys);
  known.merge(Untrack(target, keys));

  DeleteReport report;
  report.deleted = static_cast<int64_t>(known.size());
  for (const auto& [given, names] : asked) {
    const bool any = std::any_of(names.begin(), names.end(),
                                 [&](const auto& name) { return known.contains(name); });
    if (!any) report.unknown.push_back(given);
  }
  return report;
}

}  // namespace ariadne::build
