#include "query/row_condition.h"

#include <algorithm>
#include <set>
#include <utility>

#include <arrow/array.h>
#include <arrow/type.h>

#include "index/column_index.h"
#include "index/derived_column.h"
#include "query/derived_columns.h"
#include "query/locate.h"
#include "query/newest_probe.h"

namespace ariadne::query {

namespace {

IndexedColumn ColumnOf(const LakeSnapshot& snapshot, const RowCondition& condition) {
  const internal::IndexImpl& index = snapshot.index();
  return FindIndexedColumn(snapshot.metadata(), *index.schema(), index.layout().name(),
                           condition.column);
}

/// Cheapest first: what they rule out, the dearer ones need not read.
int Cost(const LakeSnapshot& snapshot, const RowCondition& condition) {
  switch (condition.kind) {
    case RowCondition::Kind::kNever:
    case RowCondition::Kind::kAny:
      return 0;
    case RowCondition::Kind::kIn:
      return 1 + AskCost(ColumnOf(snapshot, condition).kind);
    case RowCondition::Kind::kWithin:
      // All values of a file have to be looked at where no range says it.
      return ColumnOf(snapshot, condition).kind == IndexedColumn::Kind::kRange ? 1 : 10;
    case RowCondition::Kind::kAnd:
    case RowCondition::Kind::kOr:
      break;
  }
  int cost = 0;
  for (const RowCondition& part : condition.parts) cost += Cost(snapshot, part);
  return cost;
}

void Clear(RowMasks& masks) {
  for (auto& mask : masks) std::fill(mask.begin(), mask.end(), 0);
}

template <typename Combine>
void CombineInto(RowMasks& masks, const RowMasks& other, const Combine& combine) {
  for (size_t p = 0; p < masks.size(); ++p) {
    for (size_t row = 0; row < masks[p].size(); ++row) {
      masks[p][row] = combine(masks[p][row], other[p][row]);
    }
  }
}

int64_t CountRows(const RowMasks& masks) {
  int64_t count = 0;
  for (const auto& mask : masks) count += std::count(mask.begin(), mask.end(), 1);
  return count;
}

class Narrower {
 public:
  explicit Narrower(const LakeSnapshot& snapshot) : snapshot_(snapshot), site_(snapshot.site()) {}

  void Apply(const RowCondition& condition, RowMasks& masks) {
    switch (condition.kind) {
      case RowCondition::Kind::kAny:
        return;
      case RowCondition::Kind::kNever:
        return Clear(masks);
      case RowCondition::Kind::kIn:
      case RowCondition::Kind::kWithin:
        return Ask(condition, masks);
      case RowCondition::Kind::kAnd:
        for (const RowCondition* part : ByCost(condition)) Apply(*part, masks);
        return;
      case RowCondition::Kind::kOr:
        return ApplyAny(condition, masks);
    }
  }

  std::vector<const RowCondition*> ByCost(const RowCondition& condition) const {
    std::vector<std::pair<int, const RowCondition*>> costs;
    for (const RowCondition& part : condition.parts) {
      costs.emplace_back(Cost(snapshot_, part), &part);
    }
    std::stable_sort(costs.begin(), costs.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<const RowCondition*> parts;
    for (const auto& [cost, part] : costs) parts.push_back(part);
    return parts;
  }

 private:
  void ApplyAny(const RowCondition& condition, RowMasks& masks) {
    RowMasks any = masks;
    Clear(any);
    for (const RowCondition& part : condition.parts) {
      // What one part keeps, the others need not be asked about.
      RowMasks left = masks;
      CombineInto(left, any, [](uint8_t a, uint8_t b) -> uint8_t { return a & ~b & 1; });
      Apply(part, left);
      CombineInto(any, left, [](uint8_t a, uint8_t b) -> uint8_t { return a | b; });
    }
    masks = std::move(any);
  }

  void Ask(const RowCondition& condition, RowMasks& masks) {
    if (site_.main_index == nullptr) return;
    const arrow::Schema& schema = *snapshot_.index().schema();
    ColumnAsk ask;
    ask.column = ColumnOf(snapshot_, condition);
    ask.type = IndexedType(ask.column, schema);
    ask.timestamp = index::TimestampType(ask.column, schema);
    if (condition.kind == RowCondition::Kind::kWithin) {
      return ProbeBounds(ask, condition.bounds, site_, masks);
    }
    ask.values = index::ConvertProbe(condition.column, ask.type, *condition.values);
    if (ask.values->length() == 0) return Clear(masks);
    if (ask.timestamp) {
      RowMasks newest = snapshot_.tracked().rows;
      ProbeNewest(ask, site_, newest);
      return CombineInto(masks, newest, [](uint8_t a, uint8_t b) -> uint8_t { return a & b; });
    }
    ProbeRows(ask, site_, masks);
  }

  const LakeSnapshot& snapshot_;
  ProbeSite site_;
};

void AddIndexes(const LakeSnapshot& snapshot, const RowCondition& condition,
                std::set<std::string>& indexes) {
  if (!condition.column.empty()) {
    indexes.insert(std::string(ToString(ColumnOf(snapshot, condition).kind)) + " index on " +
                   condition.column);
  }
  for (const RowCondition& part : condition.parts) AddIndexes(snapshot, part, indexes);
}

std::string IndexesOf(const LakeSnapshot& snapshot, const RowCondition& condition) {
  std::set<std::string> indexes;
  AddIndexes(snapshot, condition, indexes);
  std::string text;
  for (const std::string& index : indexes) text += (text.empty() ? "" : ", ") + index;
  return text;
}

/// Calls `visit(name, bytes)` for each file of the selection, once.
template <typename Visit>
void ForEachFile(const LakeSnapshot& snapshot, const FileSelection& selection, const Visit& visit) {
  std::set<std::string> seen;
  const TrackedFiles& tracked = snapshot.tracked();
  for (size_t p = 0; p < selection.rows.size(); ++p) {
    const MainIndexPart& part = *snapshot.main_index()->parts()[p];
    for (size_t row = 0; row < selection.rows[p].size(); ++row) {
      if (selection.rows[p][row] == 0) continue;
      const std::string_view name = part.filename(static_cast<int64_t>(row));
      if (tracked.repeated_files && !seen.insert(CanonicalOrSelf(name)).second) continue;
      visit(std::string(name), part.file_size(static_cast<int64_t>(row)));
    }
  }
  if (!snapshot.includes_unindexed()) return;
  for (const UnindexedFile& file : tracked.unindexed) visit(file.uri, file.size);
}

}  // namespace

RowCondition And(RowCondition a, RowCondition b) {
  if (!a.can_prune()) return b;
  if (!b.can_prune()) return a;
  RowCondition both;
  both.kind = RowCondition::Kind::kAnd;
  both.parts.push_back(std::move(a));
  both.parts.push_back(std::move(b));
  return both;
}

RowCondition Or(std::vector<RowCondition> parts) {
  RowCondition any;
  for (const RowCondition& part : parts) {
    if (!part.can_prune()) return any;
  }
  any.kind = RowCondition::Kind::kOr;
  any.parts = std::move(parts);
  return any;
}

FileSelection SelectAll(const LakeSnapshot& snapshot) {
  FileSelection selection;
  selection.rows = snapshot.tracked().rows;
  return selection;
}

void Narrow(const LakeSnapshot& snapshot, const RowCondition& condition, FileSelection& selection) {
  Narrower narrower(snapshot);
  if (condition.kind == RowCondition::Kind::kAnd) {
    for (const RowCondition* part : narrower.ByCost(condition)) {
      Narrow(snapshot, *part, selection);
    }
    return;
  }
  if (!condition.can_prune()) return;
  SelectionStep step;
  step.condition = condition.text;
  step.index = IndexesOf(snapshot, condition);
  step.files_before = CountRows(selection.rows);
  narrower.Apply(condition, selection.rows);
  step.files_after = CountRows(selection.rows);
  selection.steps.push_back(std::move(step));
}

int64_t CountFiles(const LakeSnapshot& snapshot, const FileSelection& selection) {
  int64_t count = 0;
  ForEachFile(snapshot, selection, [&](const std::string&, int64_t) { ++count; });
  return count;
}

std::vector<scan::ScanFile> ScanFilesOf(const LakeSnapshot& snapshot,
                                        const FileSelection& selection) {
  std::vector<std::pair<std::string, int64_t>> files;
  ForEachFile(snapshot, selection,
              [&](std::string name, int64_t size) { files.emplace_back(std::move(name), size); });
  return ScanFilesOf(snapshot.index(), *snapshot.logged(), files);
}

int64_t SizeOf(const LakeSnapshot& snapshot, const FileSelection& selection) {
  int64_t bytes = 0;
  ForEachFile(snapshot, selection,
              [&](const std::string&, int64_t size) { bytes += std::max<int64_t>(size, 0); });
  return bytes;
}

}  // namespace ariadne::query
