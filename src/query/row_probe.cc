#include "query/row_probe.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include <arrow/array.h>
#include <arrow/type.h>

#include "ariadne/errors.h"
#include "build/built_cells.h"
#include "index/column_index.h"
#include "index/lookup_file.h"
#include "index/token_zones.h"
#include "query/index_warning.h"
#include "query/large_index.h"
#include "query/parallel_for.h"
#include "query/tracked_files.h"
#include "source/spark_schema.h"

namespace ariadne::query {

namespace {

/// Some rows of one part that are read together.
struct Task {
  size_t part = 0;
  size_t row_group = 0;
};

bool AnyCandidate(const std::vector<uint8_t>& mask, int64_t first, int64_t count) {
  return std::any_of(mask.begin() + first, mask.begin() + first + count,
                     [](uint8_t candidate) { return candidate != 0; });
}

/// Tokens of timestamps depend on the zone of the writer, which differs from filter to filter.
bool TokensDependOnZone(const ColumnAsk& ask) {
  return ask.column.kind == IndexedColumn::Kind::kBloom &&
         ask.type->id() == arrow::Type::TIMESTAMP &&
         !static_cast<const arrow::TimestampType&>(*ask.type).timezone().empty();
}

class Prober {
 public:
  Prober(const ColumnAsk& ask, std::string storage_column, const ProbeSite& site, RowMasks& masks)
      : ask_(ask),
        site_(site),
        masks_(masks),
        storage_column_(std::move(storage_column)),
        storage_type_(index::StorageType(ask.column, ask.type, ask.timestamp)) {}

  void Run() {
    if (!index::KeepsValues(ask_.column.kind)) {
      ProbeTasks(TasksOf(AllParts()));
      return;
    }
    ProbeTasks(ProbeLookups());
    ProbeAutoBloom(ask_, site_, masks_);
    AskLargeIndex();
  }

  void RunBounds(const index::ValueBounds& bounds) {
    const std::vector<Task> tasks = TasksOf(AllParts());
    if (tasks.empty()) return;
    probe_ = index::MakeBoundsProbe(ask_.column, ask_.type, bounds);
    ParallelFor(tasks.size(), site_.threads, [&](size_t i) { ProbeCells(tasks[i]); });
  }

  /// A null filter was not built, whoever wrote the table.
  void RunAutoBloom() {
    null_is_maybe_ = true;
    ProbeTasks(TasksOf(AllParts()));
  }

 private:
  void ProbeTasks(const std::vector<Task>& tasks) {
    if (tasks.empty()) return;
    if (TokensDependOnZone(ask_)) zones_ = index::TokenZones::Load(site_.layout->native());
    ParallelFor(tasks.size(), site_.threads, [&](size_t i) { ProbeCells(tasks[i]); });
  }

  const MainIndexPart& part(size_t p) const { return *site_.main_index->parts()[p]; }

  std::vector<size_t> AllParts() const {
    std::vector<size_t> parts;
    for (size_t p = 0; p < masks_.size(); ++p) parts.push_back(p);
    return parts;
  }

  /// Row groups of these parts that have candidates and the column.
  std::vector<Task> TasksOf(const std::vector<size_t>& parts) const {
    std::vector<Task> tasks;
    for (const size_t p : parts) {
      if (!part(p).HasColumn(storage_column_)) continue;
      const auto& groups = part(p).row_groups();
      for (size_t g = 0; g < groups.size(); ++g) {
        if (AnyCandidate(masks_[p], groups[g].first_row, groups[g].num_rows))
          tasks.push_back({p, g});
      }
    }
    return tasks;
  }

  /// Returns what the lookup files did not answer.
  std::vector<Task> ProbeLookups() {
    std::vector<uint8_t> answered(masks_.size(), 0);
    const std::vector<uint64_t> hashes = index::HashValues(*ask_.values);
    ParallelFor(masks_.size(), site_.threads, [&](size_t p) {
      std::vector<uint8_t>& mask = masks_[p];
      if (!AnyCandidate(mask, 0, static_cast<int64_t>(mask.size()))) return;
      if (!part(p).HasColumn(storage_column_)) return;
      try {
        const auto lookup = part(p).Lookup(site_.layout->native(), ask_.column.column);
        if (lookup) answered[p] = lookup->Find(hashes, mask.data()) ? 1 : 0;
      } catch (const Error& e) {
        WarnOnce(e.what());
      }
    });
    std::vector<size_t> left;
    for (size_t p = 0; p < masks_.size(); ++p) {
      if (answered[p] == 0) left.push_back(p);
    }
    std::vector<Task> tasks = TasksOf(left);
    if (!tasks.empty()) probe_ = index::MakeProbe(ask_.column, ask_.values, {});
    return tasks;
  }

  std::shared_ptr<arrow::Array> ReadCells(const Task& task) const {
    try {
      return part(task.part).ReadCells(storage_column_, task.row_group, storage_type_);
    } catch (const Error& e) {
      WarnOnce(e.what());
      return nullptr;
    }
  }

  void ProbeCells(const Task& task) {
    const auto cells = ReadCells(task);
    if (!cells) return;
    const int64_t first = part(task.part).row_groups()[task.row_group].first_row;
    uint8_t* mask = masks_[task.part].data() + first;
    if (zones_) {
      ProbeByZone(task, *cells, mask);
    } else {
      SharedProbe().Probe(*cells, NullIsMaybe(*cells), mask);
    }
  }

  /// A null cell was not built yet, or, in some tables of the JVM library, its file has no value
  /// (build/built_cells.h). Asked only where there is one.
  bool NullIsMaybe(const arrow::Array& cells) {
    if (index::KeepsValues(ask_.column.kind) || cells.null_count() == 0) return true;
    const std::lock_guard lock(mutex_);
    if (!null_is_maybe_) {
      try {
        null_is_maybe_ =
            !build::NullFilterProvesNoValue(site_.main_index->table(), storage_column_);
      } catch (const Error& e) {
        WarnOnce(e.what());
        null_is_maybe_ = true;
      }
    }
    return *null_is_maybe_;
  }

  const index::ColumnProbe& SharedProbe() {
    const std::lock_guard lock(mutex_);
    if (!probe_) probe_ = index::MakeProbe(ask_.column, ask_.values, {});
    return *probe_;
  }

  const index::ColumnProbe& ProbeOfZone(const std::string& zone) {
    const std::lock_guard lock(mutex_);
    auto& probe = probe_of_zone_[zone];
    if (!probe) probe = index::MakeProbe(ask_.column, ask_.values, {zone});
    return *probe;
  }

  void ProbeByZone(const Task& task, const arrow::Array& cells, uint8_t* mask) {
    const auto& filters = static_cast<const arrow::BinaryArray&>(cells);
    const int64_t first = part(task.part).row_groups()[task.row_group].first_row;
    const bool null_is_maybe = NullIsMaybe(cells);
    std::map<std::string, std::vector<int64_t>> rows_of_zone;
    for (int64_t i = 0; i < filters.length(); ++i) {
      if (mask[i] == 0) continue;
      if (filters.IsNull(i)) {
        mask[i] = null_is_maybe ? 1 : 0;
        continue;
      }
      rows_of_zone[zones_
                       ->ZoneOf(part(task.part).filename(first + i), ask_.column.column,
                                index::TokenZones::Checksum(filters.GetView(i)))
                       .value_or(site_.token_time_zone)]
          .push_back(i);
    }
    for (const auto& [zone, rows] : rows_of_zone) {
      if (zone.empty()) continue;
      std::vector<uint8_t> of_zone(filters.length(), 0);
      for (const int64_t row : rows) of_zone[row] = 1;
      ProbeOfZone(zone).Probe(cells, /*null_is_maybe=*/false, of_zone.data());
      for (const int64_t row : rows) mask[row] = of_zone[row];
    }
  }

  /// A pair with very many values is null in the main index and has its rows in the large index:
  /// those rows decide, but only where the cell is null, since a crash may leave rows of a pair
  /// whose values are inline.
  void AskLargeIndex() {
    std::unordered_set<std::string_view> candidates;
    ForEachCandidate([&](size_t p, int64_t row) { candidates.insert(part(p).filename(row)); });
    if (candidates.empty()) return;
    std::unordered_map<std::string, bool> holds;
    try {
      const auto large = LargeIndex::Open(*site_.layout, storage_column_);
      if (!large) return;
      holds = large->Ask(ask_.type, *ask_.values, candidates, site_.threads);
    } catch (const Error& e) {
      WarnOnce(e.what());
      return;
    }
    RowMasks refused(masks_.size());
    for (size_t p = 0; p < masks_.size(); ++p) refused[p].assign(masks_[p].size(), 0);
    bool any = false;
    ForEachCandidate([&](size_t p, int64_t row) {
      const auto answer = holds.find(std::string(part(p).filename(row)));
      if (answer == holds.end() || answer->second) return;
      refused[p][row] = 1;
      any = true;
    });
    if (any) ClearNullCells(refused);
  }

  void ClearNullCells(const RowMasks& refused) {
    std::vector<Task> tasks;
    for (const Task& task : TasksOf(AllParts())) {
      const auto& group = part(task.part).row_groups()[task.row_group];
      if (AnyCandidate(refused[task.part], group.first_row, group.num_rows)) tasks.push_back(task);
    }
    ParallelFor(tasks.size(), site_.threads, [&](size_t i) {
      const auto cells = ReadCells(tasks[i]);
      if (!cells) return;
      const int64_t first = part(tasks[i].part).row_groups()[tasks[i].row_group].first_row;
      for (int64_t row = 0; row < cells->length(); ++row) {
        if (refused[tasks[i].part][first + row] != 0 && cells->IsNull(row)) {
          masks_[tasks[i].part][first + row] = 0;
        }
      }
    });
  }

  template <typename Visit>
  void ForEachCandidate(const Visit& visit) const {
    for (size_t p = 0; p < masks_.size(); ++p) {
      if (!part(p).HasColumn(storage_column_)) continue;
      for (int64_t row = 0; row < static_cast<int64_t>(masks_[p].size()); ++row) {
        if (masks_[p][row] != 0) visit(p, row);
      }
    }
  }

  const ColumnAsk& ask_;
  const ProbeSite& site_;
  RowMasks& masks_;
  std::string storage_column_;
  std::shared_ptr<arrow::DataType> storage_type_;
  std::optional<index::TokenZones> zones_;
  std::mutex mutex_;  ///< Guards what is made when first needed.
  std::optional<bool> null_is_maybe_;
  std::unique_ptr<index::ColumnProbe> probe_;
  std::map<std::string, std::unique_ptr<index::ColumnProbe>> probe_of_zone_;
};

/// What the tables call the column that holds this index.
std::string NameInTables(const IndexedColumn& column, const ProbeSite& site) {
  std::string name = index::StorageColumn(column);
  const auto by_array = site.named_by_array.find(name);
  if (column.kind != IndexedColumn::Kind::kExploded || by_array == site.named_by_array.end()) {
    return name;
  }
  const auto schema = source::FromSparkJson(site.main_index->table().schema_json());
  return schema->GetFieldByName(name) == nullptr ? by_array->second : name;
}

/// Past this many values hardly a file is ruled out: each passes a filter by chance at the rate.
bool FiltersRuleOut(int64_t values, double fpr) {
  constexpr double kWorthReading = 0.01;
  return std::pow(1 - fpr, static_cast<double>(values)) >= kWorthReading;
}

}  // namespace

int AskCost(IndexedColumn::Kind kind) {
  switch (kind) {
    case IndexedColumn::Kind::kRange:
      return 0;
    case IndexedColumn::Kind::kRegular:
    case IndexedColumn::Kind::kComputed:
    case IndexedColumn::Kind::kExploded:
      return 1;
    case IndexedColumn::Kind::kBloom:
      return 2;
    case IndexedColumn::Kind::kTemporal:
      return 3;
  }
  return 4;
}

void ProbeRows(const ColumnAsk& ask, const ProbeSite& site, RowMasks& masks) {
  Prober(ask, NameInTables(ask.column, site), site, masks).Run();
}

void ProbeBounds(const ColumnAsk& ask, const index::ValueBounds& bounds, const ProbeSite& site,
                 RowMasks& masks) {
  Prober(ask, NameInTables(ask.column, site), site, masks).RunBounds(bounds);
}

void ProbeAutoBloom(const ColumnAsk& ask, const ProbeSite& site, RowMasks& masks) {
  const std::string& column = ask.column.column;
  if (std::find(site.auto_bloom.begin(), site.auto_bloom.end(), column) == site.auto_bloom.end()) {
    return;
  }
  if (!FiltersRuleOut(ask.values->length(), site.auto_bloom_fpr)) return;
  ColumnAsk filters = ask;
  filters.column = {.kind = IndexedColumn::Kind::kBloom, .column = column};
  Prober(filters, index::AutoBloomColumn(column), site, masks).RunAutoBloom();
}

}  // namespace ariadne::query
