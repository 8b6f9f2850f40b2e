#include "query/tracked_files.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "ariadne/errors.h"
#include "build/lake_files.h"
#include "query/parallel_for.h"
#include "source/file_uri.h"

namespace ariadne::query {

namespace {

/// True for names that are their own canonical form beyond doubt, which is nearly all of them: it
/// saves resolving every name of a large index.
bool IsPlainlyCanonical(std::string_view name) {
  constexpr std::string_view kScheme = "file:///";
  if (!name.starts_with(kScheme)) return false;
  char before = '/';
  for (const char c : name.substr(kScheme.size())) {
    if (static_cast<unsigned char>(c) <= ' ' || static_cast<unsigned char>(c) > '~') return false;
    if (before == '/' && (c == '/' || c == '.')) return false;
    const bool ordinary = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
                          (c >= 'A' && c <= 'Z') || c == '/' || c == '.' || c == '_' || c == '-' ||
                          c == '=';
    if (!ordinary) return false;
    before = c;
  }
  return before != '/';
}

/// Rows of the main index by name.
class RowNames {
 public:
  explicit RowNames(const MainIndex* main_index) {
    if (main_index == nullptr) return;
    size_t rows = 0;
    for (const auto& part : main_index->parts()) rows += part->num_rows();
    by_name_.reserve(rows);
    for (size_t p = 0; p < main_index->parts().size(); ++p) {
      const MainIndexPart& part = *main_index->parts()[p];
      for (const auto& group : part.row_groups()) {
        for (int64_t row = group.first_row; row < group.first_row + group.num_rows; ++row) {
          const std::string_view name = part.filename(row);
          if (!by_name_.emplace(name, Row{p, row}).second) repeated_.emplace(name, Row{p, row});
        }
      }
    }
  }

  /// Marks the rows of a name that is spelled exactly so; false where there is none.
  bool Mark(std::string_view name, TrackedFiles& tracked) {
    const auto it = by_name_.find(name);
    if (it == by_name_.end()) return false;
    uint8_t& mark = tracked.rows[it->second.part][it->second.row];
    if (mark == 0) ++marked_;
    mark = 1;
    const auto [begin, end] = repeated_.equal_range(name);
    for (auto again = begin; again != end; ++again) {
      tracked.rows[again->second.part][again->second.row] = 1;
    }
    return true;
  }

  /// Marks the rows whose canonical form is `canonical`; false where there is none.
  bool MarkCanonical(const std::string& canonical, TrackedFiles& tracked) {
    bool found = Mark(canonical, tracked);
    const auto [begin, end] = OtherSpellings().equal_range(canonical);
    for (auto it = begin; it != end; ++it) found |= Mark(it->second, tracked);
    return found;
  }

  void MarkAll(TrackedFiles& tracked) {
    for (auto& rows : tracked.rows) std::fill(rows.begin(), rows.end(), 1);
    marked_ = by_name_.size();
  }

  [[nodiscard]] bool AllMarked() const { return marked_ == by_name_.size(); }

  /// Says how many files the marked rows are of.
  void Count(TrackedFiles& tracked) {
    tracked.indexed_files = static_cast<int64_t>(marked_);
    tracked.repeated_files = !repeated_.empty();
    if (OtherSpellings().empty()) return;
    std::unordered_set<std::string> files;
    for (const auto& [name, row] : by_name_) {
      if (tracked.rows[row.part][row.row] != 0) files.insert(CanonicalOrSelf(name));
    }
    tracked.indexed_files = static_cast<int64_t>(files.size());
    tracked.repeated_files = tracked.repeated_files || files.size() != marked_;
  }

  [[nodiscard]] bool HasOtherSpellings() { return !OtherSpellings().empty(); }

 private:
  struct Row {
    size_t part = 0;
    int64_t row = 0;
  };

  /// Canonical form -> names that are spelled otherwise. Made when first needed.
  const std::unordered_multimap<std::string, std::string_view>& OtherSpellings() {
    if (!others_) {
      others_.emplace();
      for (const auto& [name, row] : by_name_) {
        if (IsPlainlyCanonical(name)) continue;
        std::string canonical = CanonicalOrSelf(name);
        if (canonical != name) others_->emplace(std::move(canonical), name);
      }
    }
    return *others_;
  }

  size_t marked_ = 0;  ///< Names whose rows are marked.
  std::unordered_map<std::string_view, Row> by_name_;
  std::unordered_multimap<std::string_view, Row> repeated_;
  std::optional<std::unordered_multimap<std::string, std::string_view>> others_;
};

/// What an entry without a row turned out to be.
struct Unmatched {
  size_t entry = 0;
  std::string canonical;
  int64_t size = -1;
  std::vector<std::string> expansion;  ///< Files of a folder or glob.
};

void AskStore(Unmatched& unmatched, const std::string& stored, const TrackingOptions& options) {
  try {
    const storage::ObjectRef object =
        options.stores->Resolve(source::MapPath(stored, options.path_map));
    if (const auto meta = object.store->Head(object.path)) {
      unmatched.size = meta->size;
      return;
    }
    unmatched.size = 0;
    unmatched.expansion =
        build::ExpandLake(stored, *options.stores, options.path_map, options.root);
  } catch (const Error&) {
    // A name that the store refuses or that names nothing: it stays an entry of unknown content.
    unmatched.size = 0;
  }
}

}  // namespace

std::string CanonicalOrSelf(std::string_view stored) {
  try {
    return source::CanonicalUri(stored);
  } catch (const Error&) {
    return std::string(stored);
  }
}

TrackedFiles MatchTrackedFiles(const std::vector<storage::FileListEntry>& entries,
                               const MainIndex* main_index, const TrackingOptions& options) {
  TrackedFiles tracked;
  if (main_index != nullptr) {
    for (const auto& part : main_index->parts()) tracked.rows.emplace_back(part->num_rows(), 0);
  }
  tracked.entry_indexed.assign(entries.size(), 0);
  RowNames names(main_index);
  if (entries.empty()) {
    names.MarkAll(tracked);
    names.Count(tracked);
    return tracked;
  }

  std::vector<Unmatched> unmatched;
  std::unordered_set<std::string> seen;
  for (size_t i = 0; i < entries.size(); ++i) {
    if (names.Mark(entries[i].filename, tracked) && !names.HasOtherSpellings()) {
      tracked.entry_indexed[i] = 1;
      continue;
    }
    std::string canonical = CanonicalOrSelf(entries[i].filename);
    if (names.MarkCanonical(canonical, tracked)) {
      tracked.entry_indexed[i] = 1;
    } else if (seen.insert(canonical).second) {
      unmatched.push_back({i, std::move(canonical), -1, {}});
    }
  }
  // Only rows that nothing tracks yet make it matter whether an entry is a folder.
  if (options.sizes || !names.AllMarked()) {
    ParallelFor(unmatched.size(), options.threads, [&](size_t i) {
      AskStore(unmatched[i], entries[unmatched[i].entry].filename, options);
    });
  }
  for (const Unmatched& file : unmatched) {
    if (file.expansion.empty()) {
      tracked.unindexed.push_back({entries[file.entry].filename, file.size});
      continue;
    }
    for (const std::string& uri : file.expansion) {
      if (names.MarkCanonical(CanonicalOrSelf(uri), tracked)) continue;
      if (seen.insert(CanonicalOrSelf(uri)).second) tracked.unindexed.push_back({uri, -1});
    }
  }
  names.Count(tracked);
  std::sort(tracked.unindexed.begin(), tracked.unindexed.end(),
            [](const UnindexedFile& a, const UnindexedFile& b) { return a.uri < b.uri; });
  return tracked;
}

}  // namespace ariadne::query
