#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace ariadne {

/// What `Index::Delete` did.
struct DeleteReport {
  int64_t deleted = 0;               ///< Files that are in the index no longer.
  std::vector<std::string> unknown;  ///< Names, as given, that the index did not know: ignored.
};

struct CompactOptions {
  /// A stop request ends the call between two commits with Cancelled.
  std::stop_token stop;
};

/// What `Index::Compact` did, over all tables of the index.
struct CompactReport {
  int64_t files_before = 0;  ///< Data files of the tables.
  int64_t files_after = 0;
  int64_t bytes_rewritten = 0;  ///< Bytes of the data files that were replaced.
};

struct VacuumOptions {
  /// Hours for which what a reader may still need stays. Below 168 only with `force`.
  double retention_hours = 168;
  /// Allows a shorter retention: then nothing else may be reading or writing the index.
  bool force = false;
  /// Says what would go and removes nothing; takes no lock, so the right to read is enough.
  bool dry_run = false;
  std::stop_token stop;
};

/// What `Index::Vacuum` did, or would do.
struct VacuumReport {
  std::vector<std::string> files;  ///< URLs of what was removed, sorted.
  int64_t bytes = 0;
};

/// What an index holds in one column, over all indexed files.
struct ColumnStatistics {
  std::string column;
  std::string kind;         ///< "regular", "bloom", "range", or what the metadata declares.
  int64_t file_count = 0;   ///< Indexed files.
  int64_t built_files = 0;  ///< Those in which the column has been built.
  int64_t large_files = 0;  ///< Those whose values lie in the column's own table.

  /// Distinct values a file, where the index keeps values. Average and deviation (of a sample;
  /// absent below two files) are rounded to one digit, half up; the median is the lower one.
  struct Values {
    int64_t min = 0;
    int64_t max = 0;
    double average = 0;
    int64_t median = 0;
    std::optional<double> deviation;
  };
  std::optional<Values> values;

  /// Share of the bits that are set, from 0 to 1, over the filters of a bloom index, and the rate
  /// of false positives that the fill stands for (fill to the power of the number of hash
  /// functions).
  struct Fill {
    int64_t filters = 0;
    int64_t bytes = 0;
    double min = 0;
    double average = 0;
    double max = 0;
    double false_positive_rate = 0;
  };
  std::optional<Fill> fill;

  /// Width (max - min) of the ranges, in the column's unit: numbers as they are, dates in days,
  /// timestamps in seconds. Absent for types without a distance.
  struct Widths {
    int64_t ranges = 0;
    double min = 0;
    double average = 0;
    double max = 0;
  };
  std::optional<Widths> widths;
};

}  // namespace ariadne
