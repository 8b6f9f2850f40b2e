#include "query/locate.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <arrow/array.h>
#include <arrow/type.h>

#include "ariadne/errors.h"
#include "build/update.h"
#include "index/column_index.h"
#include "index/derived_column.h"
#include "query/derived_columns.h"
#include "query/lake_snapshot.h"
#include "query/newest_probe.h"
#include "query/parallel_for.h"
#include "query/row_probe.h"
#include "query/tracked_files.h"
#include "source/file_uri.h"

namespace ariadne::query {

namespace {

using Clock = std::chrono::steady_clock;

int64_t CountCandidates(const RowMasks& masks) {
  int64_t count = 0;
  for (const auto& mask : masks) count += std::count(mask.begin(), mask.end(), 1);
  return count;
}

class Locator {
 public:
  Locator(const internal::IndexImpl& index, const std::vector<Probe>& probes)
      : lake_(index.lake()), started_(Clock::now()) {
    counters_ = lake_.stores->counters();
    snapshot_ = LakeSnapshot::Take(index);
    asks_ = MakeAsks(index, snapshot_->metadata(), probes);
    nothing_can_match_ =
        asks_.empty() || std::any_of(asks_.begin(), asks_.end(), [](const ColumnAsk& ask) {
          return ask.values->length() == 0;
        });
    nothing_asked_ =
        probes.empty() || std::any_of(probes.begin(), probes.end(), [](const Probe& probe) {
          return probe.values->null_count() == probe.values->length();
        });
  }

  LocatedFiles Run() {
    RowMasks masks = tracked().rows;
    Prune(masks);
    Collect(masks);
    CollectNewestElsewhere(masks);
    if (snapshot_->includes_unindexed() && !nothing_asked_) {
      for (const UnindexedFile& file : tracked().unindexed)
        files_.emplace_back(file.uri, file.size);
    }
    AskMissingSizes();
    return Report();
  }

 private:
  [[nodiscard]] const TrackedFiles& tracked() const { return snapshot_->tracked(); }

  void Prune(RowMasks& masks) {
    const ProbeSite site = snapshot_->site();
    for (const ColumnAsk& ask : asks_) {
      PruneStep step;
      step.column = ask.column.column;
      step.kind = ToString(ask.column.kind);
      step.files_before = CountCandidates(masks);
      if (nothing_can_match_) {
        for (auto& mask : masks) std::fill(mask.begin(), mask.end(), 0);
      } else if (site.main_index != nullptr && ask.timestamp) {
        KeepNewest(ask, site, masks);
      } else if (site.main_index != nullptr) {
        ProbeRows(ask, site, masks);
      }
      step.files_after = CountCandidates(masks);
      report_.steps.push_back(std::move(step));
    }
    if (asks_.empty()) {
      for (auto& mask : masks) std::fill(mask.begin(), mask.end(), 0);
    }
  }

  void KeepNewest(const ColumnAsk& ask, const ProbeSite& site, RowMasks& masks) {
    RowMasks newest = tracked().rows;
    ProbeNewest(ask, site, newest);
    if (newest_.empty()) {
      newest_ = newest;
    } else {
      for (size_t p = 0; p < newest.size(); ++p) {
        for (size_t row = 0; row < newest[p].size(); ++row) newest_[p][row] |= newest[p][row];
      }
    }
    for (size_t p = 0; p < newest.size(); ++p) {
      for (size_t row = 0; row < newest[p].size(); ++row) masks[p][row] &= newest[p][row];
    }
  }

  void CollectNewestElsewhere(const RowMasks& masks) {
    for (size_t p = 0; p < newest_.size(); ++p) {
      for (size_t row = 0; row < newest_[p].size(); ++row) {
        if (newest_[p][row] == 0 || masks[p][row] != 0) continue;
        newest_elsewhere_.emplace(
            snapshot_->main_index()->parts()[p]->filename(static_cast<int64_t>(row)));
      }
    }
  }

  void Collect(const RowMasks& masks) {
    // The sets are for the rare index with several rows of a file: then each counts once.
    std::unordered_set<std::string> named;
    std::unordered_set<std::string> counted;
    const auto first = [&](std::unordered_set<std::string>& seen, std::string_view name) {
      return !tracked().repeated_files || seen.insert(CanonicalOrSelf(name)).second;
    };
    for (size_t p = 0; p < masks.size(); ++p) {
      const MainIndexPart& part = *snapshot_->main_index()->parts()[p];
      for (int64_t row = 0; row < part.num_rows(); ++row) {
        if (tracked().rows[p][row] == 0) continue;
        const std::string_view name = part.filename(row);
        const int64_t size = part.file_size(row);
        if (size > 0 && first(counted, name)) report_.total_bytes += size;
        if (masks[p][row] != 0 && first(named, name)) files_.emplace_back(name, size);
      }
    }
    for (const UnindexedFile& file : tracked().unindexed) {
      if (file.size > 0) report_.total_bytes += file.size;
    }
  }

  /// Rows of old indexes carry no size, nor do the files of an expanded folder.
  void AskMissingSizes() {
    std::vector<size_t> missing;
    for (size_t i = 0; i < files_.size(); ++i) {
      if (files_[i].second < 0) missing.push_back(i);
    }
    ParallelFor(missing.size(), StoreThreads(lake_), [&](size_t i) {
      auto& [uri, size] = files_[missing[i]];
      try {
        const auto object = lake_.stores->Resolve(source::MapPath(uri, lake_.options.path_map));
        const auto meta = object.store->Head(object.path);
        if (meta) size = meta->size;
      } catch (const Error&) {
        size = -1;  // The size is for show; the reader of the file will say what is wrong with it.
      }
    });
    for (const size_t i : missing) report_.total_bytes += std::max<int64_t>(files_[i].second, 0);
  }

  LocatedFiles Report() {
    LocatedFiles located;
    located.logged = snapshot_->logged();
    std::sort(files_.begin(), files_.end());
    for (auto& [uri, size] : files_) {
      report_.files.push_back(std::move(uri));
      report_.bytes += std::max<int64_t>(size, 0);
      located.sizes.push_back(size);
    }
    for (const std::string& uri : report_.files) newest_elsewhere_.erase(uri);
    located.newest_elsewhere.assign(newest_elsewhere_.begin(), newest_elsewhere_.end());
    for (const UnindexedFile& file : tracked().unindexed) {
      report_.unindexed_files.push_back(file.uri);
    }
    report_.total_files = snapshot_->total_files();
    const storage::IoCounters now = lake_.stores->counters();
    report_.index_bytes_read = now.bytes_read - counters_.bytes_read;
    report_.requests = now.requests - counters_.requests;
    report_.elapsed_ms = std::chrono::duration<double, std::milli>(Clock::now() - started_).count();
    located.report = std::move(report_);
    return located;
  }

  const internal::LakeImpl& lake_;
  Clock::time_point started_;
  storage::IoCounters counters_;
  std::shared_ptr<const LakeSnapshot> snapshot_;
  std::vector<ColumnAsk> asks_;
  /// In some column no value is one that its type can hold: no indexed file matches. One that is
  /// not indexed may be so because it holds such a value.
  bool nothing_can_match_ = false;
  /// In some column nothing but NULL was asked for: no file at all matches.
  bool nothing_asked_ = false;
  RowMasks newest_;  ///< Rows that ProbeNewest left for any column.
  std::set<std::string> newest_elsewhere_;
  std::vector<std::pair<std::string, int64_t>> files_;
  Located report_;
};

}  // namespace

std::vector<ColumnAsk> MakeAsks(const internal::IndexImpl& index,
                                const storage::IndexMetadata& metadata,
                                const std::vector<Probe>& probes) {
  std::vector<ColumnAsk> asks;
  for (const Probe& probe : probes) {
    if (!probe.values) {
      throw InvalidArgument("the probe of column \"" + probe.column + "\" has no values array");
    }
    ColumnAsk ask;
    ask.column = FindIndexedColumn(metadata, *index.schema(), index.layout().name(), probe.column);
    ask.type = IndexedType(ask.column, *index.schema());
    ask.timestamp = index::TimestampType(ask.column, *index.schema());
    ask.values = index::ConvertProbe(probe.column, ask.type, *probe.values);
    asks.push_back(std::move(ask));
  }
  std::stable_sort(asks.begin(), asks.end(), [](const ColumnAsk& a, const ColumnAsk& b) {
    return AskCost(a.column.kind) < AskCost(b.column.kind);
  });
  return asks;
}

bool IsIndexed(const storage::IndexMetadata& metadata, const std::string& column) {
  const auto declared = build::DeclaredColumns(metadata);
  return std::any_of(declared.begin(), declared.end(),
                     [&](const IndexedColumn& candidate) { return candidate.column == column; });
}

IndexedColumn FindIndexedColumn(const storage::IndexMetadata& metadata, const arrow::Schema& schema,
                                const std::string& index_name, const std::string& column) {
  std::string indexed;
  for (const IndexedColumn& candidate : build::DeclaredColumns(metadata)) {
    const bool is_there = IsDerived(candidate.kind) || schema.GetFieldByName(column) != nullptr;
    if (candidate.column == column && is_there) return candidate;
    indexed += (indexed.empty() ? "\"" : ", \"") + candidate.column + "\"";
  }
  const bool is_there = schema.GetFieldByName(column) != nullptr;
  const std::string what =
      is_there ? "column \"" + column + "\" of index \"" + index_name + "\" has no index"
               : "index \"" + index_name + "\" has no column \"" + column + "\"";
  const std::string way_out = is_there ? "`ariadne declare " + index_name + " --regular " + column +
                                             "` and an update index it, and SQL needs no index"
                                       : "`ariadne describe " + index_name + "` shows its columns";
  throw ColumnNotFound(what + "; " +
                       (indexed.empty() ? "no column is indexed yet" : "indexed are " + indexed) +
                       ". " + way_out);
}

LocatedFiles LocateFiles(const internal::IndexImpl& index, const std::vector<Probe>& probes) {
  return Locator(index, probes).Run();
}

}  // namespace ariadne::query
