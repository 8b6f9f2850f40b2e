#include "build/sync.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "ariadne/errors.h"
#include "build/consolidate.h"
#include "build/delete.h"
#include "build/delta_lake.h"
#include "build/file_looks.h"
#include "build/file_states.h"
#include "build/lake_files.h"
#include "build/lake_format.h"
#include "build/locked_index.h"
#include "build/logged_files.h"
#include "build/main_rows.h"
#include "build/row_removal.h"
#include "build/table_rows.h"
#include "source/file_uri.h"
#include "storage/delta_table.h"
#include "storage/file_list.h"

namespace ariadne::build {

namespace {

constexpr int64_t kUnknown = -1;

/// What the index knows of a file.
struct Known {
  std::string uri;                     ///< A stored spelling.
  std::optional<int64_t> added_at_us;  ///< Where the file list has it.
  bool indexed = false;
  int64_t size = kUnknown;  ///< In the main index.
  std::optional<FileState> state;
};

/// By FileKey.
using KnownFiles = std::map<std::string, Known>;

void AddMainRows(const UpdateTarget& target, KnownFiles* known) {
  const auto main = storage::DeltaTable::Open(target.layout.main_index());
  if (main == nullptr) return;
  CheckPlain(*main);
  const auto schema = arrow::schema(
      {arrow::field("filename", arrow::utf8()), arrow::field("file_size", arrow::int64())});
  for (const storage::DataFile& file : main->files()) {
    TableRows reader(*main, file, schema);
    while (const auto batch = reader.Next()) {
      const auto& names = static_cast<const arrow::StringArray&>(*batch->column(0));
      const auto& sizes = static_cast<const arrow::Int64Array&>(*batch->column(1));
      for (int64_t i = 0; i < names.length(); ++i) {
        if (names.IsNull(i)) continue;
        const std::string name = names.GetString(i);
        Known& entry = (*known)[FileKey(name)];
        if (entry.uri.empty()) entry.uri = name;
        entry.indexed = true;
        entry.size = sizes.IsNull(i) ? kUnknown : sizes.Value(i);
      }
    }
  }
}

/// Files of the index. Entries of the list that name a folder or glob, as the JVM library keeps
/// them, stay out, and the files that they name are tracked.
KnownFiles LoadKnown(const UpdateTarget& target) {
  KnownFiles known;
  const auto entries = storage::FileList(target.layout.file_list()).Entries();
  std::set<std::string> names;
  for (const storage::FileListEntry& entry : entries) names.insert(entry.filename);
  const auto looks = LookAtFiles(target, names);
  const auto track = [&](const std::string& name, int64_t added_at_us) {
    Known& file = known[FileKey(name)];
    if (file.uri.empty()) file.uri = name;
    file.added_at_us = std::max(file.added_at_us.value_or(INT64_MIN), added_at_us);
  };
  for (const storage::FileListEntry& entry : entries) {
    std::vector<std::string> expansion;
    if (!looks.at(entry.filename)) {
      try {
        expansion = ExpandLake(entry.filename, *target.stores, target.options.path_map,
                               target.layout.root());
      } catch (const FileNotFound&) {
        // A file that is gone.
      }
    }
    if (expansion.empty()) {
      track(entry.filename, entry.added_at_us);
    } else {
      for (const std::string& uri : expansion) track(uri, entry.added_at_us);
    }
  }
  AddMainRows(target, &known);
  for (auto& [key, state] : FileStates::Load(target.layout)) {
    if (const auto found = known.find(key); found != known.end()) found->second.state = state;
  }
  // Without any entry the rows are what is tracked, as for queries.
  if (entries.empty()) {
    for (auto& [key, file] : known) file.added_at_us = INT64_MIN;
  }
  return known;
}

bool IsUnchanged(const Known& file, const storage::ObjectMeta& now) {
  if (file.state) {
    return file.state->size == now.size && file.state->modified_ms == now.modified_ms &&
           (file.state->etag.empty() || now.etag.empty() || file.state->etag == now.etag);
  }
  const bool same_size = file.size == kUnknown || file.size == now.size;
  // What was last written before it was tracked was read as it is now.
  return same_size && file.added_at_us &&
         (*file.added_at_us == INT64_MIN ? file.size != kUnknown
                                         : now.modified_ms <= *file.added_at_us / 1000);
}

/// FileKey of a folder, up to the names in it.
std::string FolderKey(const std::string& folder) {
  std::string key = FileKey(folder);
  while (key.ends_with('/')) key.pop_back();
  return key + "/";
}

/// The part of FileKey that all files of a lake have in common.
std::string CommonPrefix(const std::string& lake, const std::set<std::string>& lake_keys) {
  std::string key = FileKey(lake);
  while (key.ends_with('/')) key.pop_back();
  if (lake_keys.contains(key)) return key;
  // A folder, unless its files lie elsewhere: then it is a glob, whose fixed part counts.
  const bool folder = std::all_of(lake_keys.begin(), lake_keys.end(),
                                  [&](const auto& file) { return file.starts_with(key + "/"); });
  if (folder) return key + "/";
  std::string common = *lake_keys.begin();
  for (const std::string& file : lake_keys) {
    size_t same = 0;
    while (same < common.size() && same < file.size() && common[same] == file[same]) ++same;
    common.resize(same);
  }
  size_t same = 0;
  while (same < common.size() && same < key.size() && common[same] == key[same]) ++same;
  return key.substr(0, key.rfind('/', same == 0 ? 0 : same - 1) + 1);
}

/// What has to be done, by FileKey.
struct Differences {
  std::set<std::string> stale;  ///< Rows that must go.
  std::set<std::string> vanished;
  std::vector<std::string> added;  ///< URIs.
  LoggedFiles logged;
  std::string prefix;  ///< Of the lake's files; empty where only tracked files are looked at.
};

/// True where the file is in another partition than it was: its rows have other values.
bool IsMoved(const std::string& key, const LoggedFiles& before, const LoggedFiles& now) {
  const auto partition = [&key](const LoggedFiles& files) {
    const auto found = files.find(key);
    return found == files.end() ? std::nullopt : found->second.partition_values;
  };
  return partition(before) != partition(now);
}

/// `before`: what the log said at the last sync.
Differences Compare(const UpdateTarget& target, const SyncOptions& options, KnownFiles known,
                    const LoggedFiles& before, SyncReport* report) {
  std::map<std::string, std::string> lake;  // By key.
  std::set<std::string> lake_keys;
  std::optional<DeltaLake> delta;
  Differences differences;
  std::string& prefix = differences.prefix;
  if (!options.lake.empty()) {
    delta = ReadDeltaLake(target, options.lake);
    std::vector<std::string> uris = delta
                                        ? delta->uris
                                        : ExpandLake(options.lake, *target.stores,
                                                     target.options.path_map, target.layout.root());
    for (std::string& uri : uris) {
      std::string key = FileKey(uri);
      lake_keys.insert(key);
      lake.emplace(std::move(key), std::move(uri));
    }
    // An empty table is a lake too, other than an empty folder: its log says so.
    prefix = delta ? FolderKey(options.lake) : CommonPrefix(options.lake, lake_keys);
    if (delta) differences.logged = std::move(delta->logged);
  }
  std::set<std::string> names;
  for (const auto& [key, file] : known) {
    if (key.starts_with(prefix)) names.insert(file.uri);
  }
  const auto looks = LookAtFiles(target, names);

  size_t tracked = 0;
  for (const auto& [key, file] : known) {
    if (!key.starts_with(prefix)) continue;
    ++tracked;
    const auto& now = looks.at(file.uri);
    if (!now || (delta && !lake.contains(key))) {
      differences.vanished.insert(key);
      differences.stale.insert(key);
      report->vanished.push_back(file.uri);
    } else if (!file.added_at_us) {
      // A row that nothing tracks: left by a removal that was cut off.
      differences.stale.insert(key);
    } else if (file.indexed && (!IsUnchanged(file, *now) ||
                                (lake.contains(key) && IsMoved(key, before, differences.logged)))) {
      differences.stale.insert(key);
      report->changed.push_back(file.uri);
    } else if (file.indexed) {
      ++report->unchanged;
    }
  }
  if (options.lake.empty() && tracked > 0 && differences.vanished.size() == tracked) {
    throw StorageError("none of the " + std::to_string(tracked) + " files of index '" +
                       target.layout.name() +
                       "' is there: is the disk mounted, is the option path_map missing? If they "
                       "are gone for good, delete them or remove the index");
  }
  for (const auto& [key, uri] : lake) {
    const auto found = known.find(key);
    if (found == known.end() || !found->second.added_at_us) differences.added.push_back(uri);
  }
  std::sort(differences.added.begin(), differences.added.end());
  std::sort(report->changed.begin(), report->changed.end());
  std::sort(report->vanished.begin(), report->vanished.end());
  report->added = differences.added;
  return differences;
}

void Track(const UpdateTarget& target, const std::vector<std::string>& uris) {
  if (uris.empty()) return;
  const auto lock = storage::Lock::Acquire(target.layout.file_list_lock(), target.options);
  storage::FileList list(target.layout.file_list());
  std::set<std::string> known;
  for (const auto& entry : list.Entries()) known.insert(FileKey(entry.filename));
  std::vector<std::string> fresh;
  for (const std::string& uri : uris) {
    if (!known.contains(FileKey(uri))) fresh.push_back(uri);
  }
  lock->Check();
  list.Add(fresh);
}

/// What is known of the log at each step: of new files before they are tracked, of files that go
/// until they are not.
struct LoggedSteps {
  LoggedFiles before, with_added, with_vanished, after;
};

LoggedSteps StepsOf(const Differences& differences, const LoggedFiles& before) {
  const auto of_lake = [&](const std::string& key) {
    return !differences.prefix.empty() && key.starts_with(differences.prefix);
  };
  LoggedSteps steps{.before = before, .with_added = before, .with_vanished = {}, .after = {}};
  for (const std::string& uri : differences.added) {
    const std::string key = FileKey(uri);
    const auto now = differences.logged.find(key);
    steps.with_added.erase(key);
    if (now != differences.logged.end()) steps.with_added.insert(*now);
  }
  steps.after = differences.logged;
  for (const auto& [key, file] : before) {
    if (differences.vanished.contains(key)) {
      steps.with_vanished.emplace(key, file);
    } else if (!of_lake(key)) {
      steps.after.emplace(key, file);
    }
  }
  steps.with_vanished.insert(steps.after.begin(), steps.after.end());
  return steps;
}

}  // namespace

SyncReport Sync(const UpdateTarget& target, const SyncOptions& options) {
  const storage::IndexMetadata metadata = ReadMetadataOf(target.layout);
  SyncReport report;
  if (!options.dry_run) {
    LockedIndex index(target, options.update.stop);
    index.PlanBuilding();
    // Rows that an earlier run left in staging are compared like the others.
    ConsolidateStaging(&index.workspace());
  }
  KnownFiles known = LoadKnown(target);
  report.looked_at_us = std::chrono::duration_cast<std::chrono::microseconds>(
                            std::chrono::system_clock::now().time_since_epoch())
                            .count();
  const LoggedFiles logged = LoadLoggedFiles(target.layout, metadata);
  const Differences differences = Compare(target, options, std::move(known), logged, &report);
  CheckSuffixes(metadata.format, report.added);
  if (options.dry_run) return report;
  const LoggedSteps steps = StepsOf(differences, logged);
  if (steps.with_added != steps.before) {
    LockedIndex(target, options.update.stop).RecordLogged(steps.with_added);
  }
  // What is new comes before what it replaces goes, so that no row is missing in between.
  Track(target, differences.added);
  if (!differences.stale.empty() || steps.after != steps.with_added) {
    LockedIndex index(target, options.update.stop);
    RemoveFileRows(&index, differences.stale);
    if (steps.with_vanished != steps.with_added) index.RecordLogged(steps.with_vanished);
    Untrack(target, differences.vanished);
    if (steps.after != steps.with_vanished) index.RecordLogged(steps.after);
  }
  report.update = Update(target, options.update);
  return report;
}

}  // namespace ariadne::build
