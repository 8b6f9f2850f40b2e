#include "query/newest_probe.h"

#include <mutex>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <arrow/array.h>
#include <arrow/compare.h>
#include <arrow/type.h>

#include "ariadne/errors.h"
#include "build/row_removal.h"
#include "index/column_index.h"
#include "query/index_warning.h"
#include "query/large_index.h"
#include "query/parallel_for.h"
#include "query/tracked_files.h"

namespace ariadne::query {

namespace {

struct Row {
  size_t part = 0;
  int64_t row = 0;
};

/// A file's newest version of one of the values.
struct Version {
  size_t value = 0;  ///< Place among the values asked for.
  std::optional<int64_t> time;
};

/// True for types whose values compare as the integers behind them.
bool ComparesAsInteger(const arrow::DataType& type) {
  switch (type.id()) {
    case arrow::Type::TIMESTAMP:
    case arrow::Type::DATE32:
    case arrow::Type::INT8:
    case arrow::Type::INT16:
    case arrow::Type::INT32:
    case arrow::Type::INT64:
      return true;
    default:
      return false;
  }
}

int64_t TimeAt(const arrow::Array& times, int64_t row) {
  switch (times.type_id()) {
    case arrow::Type::INT8:
      return static_cast<const arrow::Int8Array&>(times).Value(row);
    case arrow::Type::INT16:
      return static_cast<const arrow::Int16Array&>(times).Value(row);
    case arrow::Type::INT32:
      return static_cast<const arrow::Int32Array&>(times).Value(row);
    case arrow::Type::DATE32:
      return static_cast<const arrow::Date32Array&>(times).Value(row);
    case arrow::Type::TIMESTAMP:
      return static_cast<const arrow::TimestampArray&>(times).Value(row);
    default:
      return static_cast<const arrow::Int64Array&>(times).Value(row);
  }
}

/// The values asked for, found by hash.
class WantedValues {
 public:
  explicit WantedValues(const arrow::Array& values) : values_(values) {
    const auto hashes = index::HashValues(values);
    for (size_t i = 0; i < hashes.size(); ++i) places_.emplace(hashes[i], i);
  }

  /// Calls `visit(entry, place)` for each of `entries` (struct<value, max_ts>) from `begin` on
  /// whose value is asked for. `hashes`: of all the entries' values.
  template <typename Visit>
  void ForEach(const std::vector<uint64_t>& hashes, const arrow::StructArray& entries,
               int64_t begin, int64_t end, const Visit& visit) const {
    const arrow::Array& values = *entries.field(0);
    // Another value of the same hash must not pass for a version of this one.
    static const auto kSqlEqual = arrow::EqualOptions::Defaults().nans_equal(true);
    for (int64_t i = begin; i < end; ++i) {
      const auto [first, last] = places_.equal_range(hashes[i]);
      if (first == last || entries.IsNull(i) || values.IsNull(i)) continue;
      for (auto place = first; place != last; ++place) {
        const auto at = static_cast<int64_t>(place->second);
        if (values_.RangeEquals(values, at, at + 1, i, kSqlEqual)) visit(i, place->second);
      }
    }
  }
  [[nodiscard]] size_t size() const { return static_cast<size_t>(values_.length()); }

 private:
  const arrow::Array& values_;
  std::unordered_multimap<uint64_t, size_t> places_;
};

/// The newest version of each value among those added.
class Winners {
 public:
  Winners(size_t values, const MainIndex& index) : best_(values), index_(&index) {}

  void Add(const Version& version, const Row& row) {
    Best& best = best_[version.value];
    const std::string_view name = index_->parts()[row.part]->filename(row.row);
    if (!best.rows.empty()) {
      if (version.time < best.time) return;
      if (version.time == best.time) {
        // Two spellings of one name are one file: both rows are of the winner.
        const int order = CanonicalOrSelf(name).compare(best.file);
        if (order > 0) return;
        if (order == 0) {
          best.rows.push_back(row);
          return;
        }
      }
    }
    best = {version.time, CanonicalOrSelf(name), {row}};
  }
  template <typename Visit>
  void ForEachRow(const Visit& visit) const {
    for (const Best& best : best_) {
      for (const Row& row : best.rows) visit(row);
    }
  }

 private:
  struct Best {
    std::optional<int64_t> time;  ///< nullopt, NULL, orders before every time.
    std::string file;
    std::vector<Row> rows;
  };
  std::vector<Best> best_;
  const MainIndex* index_;
};

class NewestProber {
 public:
  NewestProber(const ColumnAsk& ask, const ProbeSite& site, RowMasks& masks)
      : ask_(ask),
        site_(site),
        masks_(masks),
        column_(index::StorageColumn(ask.column)),
        entry_type_(index::EntryType(ask.column, ask.type, ask.timestamp)),
        cell_type_(index::StorageType(ask.column, ask.type, ask.timestamp)),
        times_compare_(ComparesAsInteger(*ask.timestamp)),
        wanted_(*ask.values),
        winners_(wanted_.size(), *site.main_index) {
    for (const auto& mask : masks) {
      kept_.emplace_back(mask.size(), 0);
      unknown_.emplace_back(mask.size(), 0);
    }
  }

  void Run() {
    ReadMainIndex();
    ProbeAutoBloom(ask_, site_, unknown_);
    ReadLargeIndex();
    winners_.ForEachRow([&](const Row& row) { kept_[row.part][row.row] = 1; });
    for (size_t p = 0; p < masks_.size(); ++p) {
      for (size_t row = 0; row < masks_[p].size(); ++row) {
        masks_[p][row] = kept_[p][row] | unknown_[p][row];
      }
    }
  }

 private:
  const MainIndexPart& part(size_t p) const { return *site_.main_index->parts()[p]; }

  void ReadMainIndex() {
    std::vector<std::pair<size_t, size_t>> groups;
    for (size_t p = 0; p < masks_.size(); ++p) {
      const auto& of_part = part(p).row_groups();
      for (size_t g = 0; g < of_part.size(); ++g) groups.emplace_back(p, g);
    }
    ParallelFor(groups.size(), site_.threads,
                [&](size_t i) { ReadGroup(groups[i].first, groups[i].second); });
  }

  void ReadGroup(size_t p, size_t group) {
    const auto [first, count] = part(p).row_groups()[group];
    std::shared_ptr<arrow::Array> cells;
    try {
      if (part(p).HasColumn(column_)) cells = part(p).ReadCells(column_, group, cell_type_);
    } catch (const Error& e) {
      WarnOnce(e.what());
      for (int64_t i = first; i < first + count; ++i) kept_[p][i] = masks_[p][i];
      return;
    }
    if (!cells) {
      for (int64_t i = first; i < first + count; ++i) unknown_[p][i] = masks_[p][i];
      return;
    }
    const auto& lists = static_cast<const arrow::ListArray&>(*cells);
    const auto& entries = static_cast<const arrow::StructArray&>(*lists.values());
    const std::vector<uint64_t> hashes = index::HashValues(*entries.field(0));
    for (int64_t i = 0; i < count; ++i) {
      const Row row{p, first + i};
      if (masks_[p][row.row] == 0) continue;
      if (lists.IsNull(i)) {
        unknown_[p][row.row] = 1;
        continue;
      }
      const int64_t begin = lists.value_offset(i);
      AddEntries(hashes, entries, begin, begin + lists.value_length(i), {row});
    }
  }

  void AddEntries(const std::vector<uint64_t>& hashes, const arrow::StructArray& entries,
                  int64_t begin, int64_t end, const std::vector<Row>& rows) {
    const arrow::Array& times = *entries.field(1);
    wanted_.ForEach(hashes, entries, begin, end, [&](int64_t entry, size_t value) {
      Version version{value, std::nullopt};
      if (times_compare_ && times.IsValid(entry)) version.time = TimeAt(times, entry);
      const std::lock_guard lock(mutex_);
      for (const Row& row : rows) {
        if (times_compare_) {
          winners_.Add(version, row);
        } else {
          kept_[row.part][row.row] = 1;
        }
      }
    });
  }

  /// A pair with very many values is null in the main index and has its rows in the large index; a
  /// null cell without any there was not built.
  void ReadLargeIndex() {
    std::unordered_map<std::string_view, std::vector<Row>> rows_of;
    std::unordered_set<std::string_view> candidates;
    for (size_t p = 0; p < unknown_.size(); ++p) {
      for (size_t row = 0; row < unknown_[p].size(); ++row) {
        if (unknown_[p][row] == 0) continue;
        const std::string_view name = part(p).filename(static_cast<int64_t>(row));
        rows_of[name].push_back({p, static_cast<int64_t>(row)});
        candidates.insert(name);
      }
    }
    if (candidates.empty()) return;
    std::unordered_set<std::string_view> found;
    try {
      const auto large = LargeIndex::Open(*site_.layout, ask_.column.column);
      if (!large) return;
      large->Read(
          entry_type_, candidates, site_.threads,
          [&](const arrow::StringArray& names, const std::shared_ptr<arrow::Array>& entries) {
            AddLargeRows(names, *entries, rows_of, found);
          });
    } catch (const Error& e) {
      // What was read until then is true, but of these files it may not be all.
      WarnOnce(e.what());
      return;
    }
    for (const std::string_view name : found) {
      for (const Row& row : rows_of[name]) unknown_[row.part][row.row] = 0;
    }
  }

  void AddLargeRows(const arrow::StringArray& names, const arrow::Array& entries,
                    const std::unordered_map<std::string_view, std::vector<Row>>& rows_of,
                    std::unordered_set<std::string_view>& found) {
    const auto& versions = static_cast<const arrow::StructArray&>(entries);
    const std::vector<uint64_t> hashes = index::HashValues(*versions.field(0));
    for (int64_t begin = 0; begin < names.length();) {
      const std::string_view name = names.GetView(begin);
      int64_t end = begin + 1;
      while (end < names.length() && names.GetView(end) == name) ++end;
      const auto rows = rows_of.find(name);
      if (rows != rows_of.end()) {
        AddEntries(hashes, versions, begin, end, rows->second);
        const std::lock_guard lock(mutex_);
        found.insert(rows->first);
      }
      begin = end;
    }
  }

  const ColumnAsk& ask_;
  const ProbeSite& site_;
  RowMasks& masks_;
  std::string column_;
  std::shared_ptr<arrow::DataType> entry_type_;
  std::shared_ptr<arrow::DataType> cell_type_;
  bool times_compare_;
  WantedValues wanted_;
  std::mutex mutex_;  ///< Guards what follows where rows are added.
  Winners winners_;
  RowMasks kept_;     ///< Rows that stay whatever the versions are.
  RowMasks unknown_;  ///< Rows whose cell is null, or not there.
};

}  // namespace

namespace {

/// Takes the rows of files of which the lake has deleted rows out of `masks` and returns them:
/// theirs may be the newest version that the index knows of a value, and not be there any more.
std::vector<Row> TakeFilesWithDeletedRows(const ProbeSite& site, RowMasks& masks) {
  std::vector<Row> taken;
  if (site.logged == nullptr || site.logged->empty()) return taken;
  for (size_t p = 0; p < masks.size(); ++p) {
    for (size_t i = 0; i < masks[p].size(); ++i) {
      const Row row{p, static_cast<int64_t>(i)};
      if (masks[p][i] == 0) continue;
      const std::string name(site.main_index->parts()[p]->filename(row.row));
      const auto logged = site.logged->find(build::FileKey(name));
      if (logged == site.logged->end() || logged->second.deleted_rows.empty()) continue;
      masks[p][i] = 0;
      taken.push_back(row);
    }
  }
  return taken;
}

}  // namespace

void ProbeNewest(const ColumnAsk& ask, const ProbeSite& site, RowMasks& masks) {
  const std::vector<Row> maybe = TakeFilesWithDeletedRows(site, masks);
  NewestProber(ask, site, masks).Run();
  for (const Row& row : maybe) masks[row.part][row.row] = 1;
}

}  // namespace ariadne::query
