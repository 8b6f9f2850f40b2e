#include "build/vacuum.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "ariadne/errors.h"
#include "build/file_states.h"
#include "build/locked_index.h"
#include "build/retained_files.h"
#include "build/row_removal.h"
#include "build/staging_removal.h"

namespace ariadne::build {

namespace {

constexpr double kSafeHours = 168;
constexpr char kTemporary[] = ".ariadne-tmp";
constexpr char kLookup[] = ".lookup";
constexpr char kChecksum[] = ".crc";
/// Below this age a write may be in progress: taking a lock needs none.
constexpr std::chrono::milliseconds kLeastTemporaryAge = std::chrono::minutes(1);

int64_t NowMs() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

int64_t Cutoff(const VacuumOptions& options) {
  if (std::isnan(options.retention_hours) || options.retention_hours < 0) {
    throw InvalidArgument("the retention of a vacuum is a number of hours, 0 at least");
  }
  if (options.retention_hours < kSafeHours && !options.force) {
    throw InvalidArgument(
        "a retention below 168 hours can remove files that a reader or writer still uses; give "
        "the option force if nothing else is using the index");
  }
  // Longer than since the epoch is as good as for ever.
  return NowMs() - static_cast<int64_t>(std::min(options.retention_hours, 1e9) * 3'600'000);
}

bool IsTemporary(const std::string& name) {
  return name.starts_with('.') && name.ends_with(kTemporary);
}

/// The name of the file that a checksum, lookup or data file belongs to.
std::string Owner(const std::string& name) {
  if (name.starts_with('.') && name.ends_with(kChecksum)) {
    return name.substr(1, name.size() - 1 - (sizeof(kChecksum) - 1));
  }
  return name;
}

class Vacuuming {
 public:
  /// `index`: nullptr for a dry run.
  Vacuuming(const storage::IndexLayout& layout, LockedIndex* index, const VacuumOptions& options)
      : layout_(layout), index_(index), options_(options), cutoff_ms_(Cutoff(options)) {}

  /// Data files of one table and their checksums. Returns the names of what stays;
  /// nullopt where there is no table.
  std::optional<std::set<std::string>> Table(const storage::ObjectRef& folder);
  /// Lookup files that describe no data file of `data_files`.
  void Lookups(const std::set<std::string>& data_files);
  /// Writes that a crash cut off.
  void Temporaries(const storage::ObjectRef& folder);
  VacuumReport Finish();

 private:
  [[nodiscard]] bool IsOld(const storage::ObjectMeta& object) const {
    return object.modified_ms <= cutoff_ms_;
  }
  void Remove(const storage::ObjectRef& folder, const storage::ObjectMeta& object);

  const storage::IndexLayout& layout_;
  LockedIndex* index_;
  const VacuumOptions& options_;
  int64_t cutoff_ms_;
  VacuumReport report_;
};

void Vacuuming::Remove(const storage::ObjectRef& folder, const storage::ObjectMeta& object) {
  report_.files.push_back(folder.store->base_url() + object.path);
  report_.bytes += object.size;
  if (options_.dry_run) return;
  index_->ThrowIfStopped("vacuum");
  index_->lock().Tick();
  folder.store->Delete(object.path);
}

std::optional<std::set<std::string>> Vacuuming::Table(const storage::ObjectRef& folder) {
  // Listed before the log is read: what is committed meanwhile is then newer than the listing.
  const std::vector<storage::ObjectMeta> objects = folder.store->List(folder.path);
  std::shared_ptr<storage::DeltaTable> table;
  try {
    table = storage::DeltaTable::Open(folder);
  } catch (const InvalidDeltaTable&) {
    // Not known to be ours: never touched.
    return std::nullopt;
  }
  if (table == nullptr) return std::nullopt;
  const std::set<std::string> retained = RetainedFiles(*table, cutoff_ms_);
  std::set<std::string> kept = retained;
  for (const storage::ObjectMeta& object : objects) {
    const std::string relative = object.path.substr(folder.path.size() + 1);
    const std::string name = relative.substr(relative.rfind('/') + 1);
    // The log looks after itself; deletion vectors and whatever else is there are not ours.
    if (relative.starts_with('_')) continue;
    const std::string owner = Owner(name);
    if (!owner.ends_with(".parquet") || retained.contains(owner)) continue;
    if (IsOld(object)) {
      Remove(folder, object);
    } else {
      kept.insert(owner);
    }
  }
  return kept;
}

void Vacuuming::Lookups(const std::set<std::string>& data_files) {
  const storage::ObjectRef folder = storage::IndexLayout::Join(layout_.native(), "lookup");
  for (const storage::ObjectMeta& object : folder.store->List(folder.path)) {
    const std::string name = object.path.substr(object.path.rfind('/') + 1);
    if (!name.ends_with(kLookup) || !IsOld(object)) continue;
    if (!data_files.contains(name.substr(0, name.size() - (sizeof(kLookup) - 1)))) {
      Remove(folder, object);
    }
  }
}

void Vacuuming::Temporaries(const storage::ObjectRef& folder) {
  // Only a local disk has them, and no listing of the store shows them.
  if (!folder.store->is_local()) return;
  namespace fs = std::filesystem;
  const fs::path root = "/" + folder.path;
  const auto age = std::max<std::chrono::milliseconds>(
      std::chrono::milliseconds(NowMs() - cutoff_ms_), kLeastTemporaryAge);
  const auto cutoff = fs::file_time_type::clock::now() - age;
  std::error_code failed;
  auto at = fs::recursive_directory_iterator(root, failed);
  for (; !failed && at != fs::recursive_directory_iterator(); at.increment(failed)) {
    const std::string name = at->path().filename().string();
    std::error_code gone;
    if (!IsTemporary(name) || at->last_write_time(gone) > cutoff || gone) continue;
    report_.files.push_back(folder.store->base_url() + at->path().string().substr(1));
    report_.bytes += static_cast<int64_t>(at->file_size(gone));
    if (!options_.dry_run) fs::remove(at->path(), gone);
  }
}

VacuumReport Vacuuming::Finish() {
  std::sort(report_.files.begin(), report_.files.end());
  report_.files.erase(std::unique(report_.files.begin(), report_.files.end()), report_.files.end());
  return std::move(report_);
}

}  // namespace

VacuumReport Vacuum(const UpdateTarget& target, const VacuumOptions& options) {
  Cutoff(options);  // A wrong retention is told before any lock is waited for.
  const storage::IndexLayout& layout = target.layout;
  std::optional<LockedIndex> index;
  if (options.dry_run) {
    ReadMetadataOf(layout);  // Throws where there is no index.
  } else {
    index.emplace(target, options.stop);
    FinishStagingRemoval(layout);
  }
  Vacuuming vacuuming(layout, index ? &*index : nullptr, options);
  const auto main_files = vacuuming.Table(layout.main_index());
  std::set<std::string> data_files = main_files.value_or(std::set<std::string>());
  // A staged data file keeps its name, and so its lookup files, when the main index adopts it.
  if (auto staged = vacuuming.Table(layout.staging())) data_files.merge(*staged);
  for (const std::string& column : LargeIndexColumns(layout)) {
    vacuuming.Table(layout.large_index(column));
  }
  vacuuming.Table(FileStates::Folder(layout));
  {
    std::unique_ptr<storage::Lock> lock;
    if (!options.dry_run) {
      lock = storage::Lock::Acquire(layout.file_list_lock(), target.options, options.stop);
    }
    vacuuming.Table(layout.file_list());
    vacuuming.Temporaries(layout.file_list());
  }
  // A main index that cannot be read may want any of them.
  if (main_files) vacuuming.Lookups(data_files);
  vacuuming.Temporaries(layout.folder());
  return vacuuming.Finish();
}

}  // namespace ariadne::build
