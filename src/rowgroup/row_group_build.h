#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "rowgroup/index_store.h"
#include "rowgroup/value_collector.h"

namespace ariadne::rowgroup {

/// The indexes of one target in one row group while a task reads it: values come in, and once every
/// row was seen the indexes are made (`Seal`) and, when the task has ended well, made known
/// (`Commit`). Whatever else happens to it, nothing becomes known. Not thread-safe.
class RowGroupBuild {
 public:
  /// Registers the wanted kinds. nullptr: all of them are built already or by another task.
  /// `rows`: of the row group, by the footer; `rate`: of false positives of a filter; `rooms`: of
  /// the task, which outlive the build.
  static std::unique_ptr<RowGroupBuild> Start(IndexStore& store, const FileIdentity& file,
                                              int32_t row_group, const std::string& target,
                                              Kinds kinds, Domain domain, int64_t rows, double rate,
                                              HashRooms& rooms);

  /// Until it is sealed.
  ValueCollector& values() { return *values_; }
  [[nodiscard]] const FileIdentity& file() const { return registrations_.front().key().file; }
  /// The collector has been given every value of this many more rows.
  void Saw(int64_t rows) { seen_ += rows; }

  /// Makes the indexes and frees the values. False: not exactly the rows of the row group were
  /// seen, or too many values; all was discarded.
  bool Seal();
  /// After Seal.
  void Commit();
  void Discard(DiscardReason reason);

 private:
  RowGroupBuild(std::vector<Registration> registrations, Domain domain, int64_t rows, double rate,
                HashRooms& rooms);

  std::vector<Registration> registrations_;
  std::vector<RowGroupIndex> sealed_;  ///< One a registration.
  std::optional<ValueCollector> values_;
  int64_t rows_;
  int64_t seen_ = 0;
};

}  // namespace ariadne::rowgroup
