#include "build/folder_entries.h"

#include <set>
#include <string>
#include <vector>

#include "ariadne/errors.h"
#include "build/main_rows.h"
#include "source/file_uri.h"
#include "storage/file_list.h"
#include "storage/lock.h"

namespace ariadne::build {

bool ReplaceFolderEntries(const UpdateTarget& target, const Plan& plan) {
  std::set<std::string> missing;
  for (const FileJob& job : plan.jobs) {
    if (job.size < 0 && !job.old_row) missing.insert(job.uri);
  }
  if (missing.empty()) return false;
  std::vector<std::string> entries;
  std::vector<std::string> files;
  for (const auto& entry : storage::FileList(target.layout.file_list()).Entries()) {
    if (!missing.contains(CanonicalOrSame(entry.filename))) continue;
    try {
      for (std::string& uri :
           source::Expand(entry.filename, *target.stores, target.options.path_map)) {
        if (!missing.contains(uri)) files.push_back(std::move(uri));
      }
      entries.push_back(entry.filename);
    } catch (const Error&) {
      // A file that is gone or closed to us, or a name that no store serves: its job says so.
    }
  }
  if (files.empty()) return false;
  const auto lock = storage::Lock::Acquire(target.layout.file_list_lock(), target.options);
  storage::FileList list(target.layout.file_list());
  lock->Check();
  // In this order, so that a crash in between leaves no file untracked.
  list.Add(files);
  list.Remove(entries);
  return true;
}

}  // namespace ariadne::build
