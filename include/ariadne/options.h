#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ariadne {

/// What a query does with tracked files that no update has indexed yet.
enum class Unindexed {
  kInclude,  ///< They are candidates: the index never changes an answer.
  kExclude,  ///< They are left out, as the JVM library does.
  kError,    ///< The query is refused with UnindexedFiles.
};

/// Names that begin with `from` are read at `to` followed by the rest. Both are URL prefixes or
/// absolute paths. Stored names never change.
struct PathMapping {
  std::string from;
  std::string to;
};

/// How a lake is opened. Every default is that of the reference where the reference has one.
struct Options {
  /// Memory that one operation may use, in bytes. 0: a quarter of the machine's.
  int64_t memory_bytes = 0;
  /// Threads that one operation may use. 0: one a core.
  int threads = 0;
  Unindexed unindexed = Unindexed::kInclude;
  std::vector<PathMapping> path_map;
  /// Object store settings by their `object_store` names, e.g. {"aws_region", "eu-central-1"}.
  std::map<std::string, std::string> storage;

  /// Distinct values a (file, column) at which values leave the main index (`largeIndexLimit`).
  int64_t large_index_limit = 500'000;
  /// False positive rate of the filters that every file of a column has from its first large one on
  /// (`autoBloomFpr`).
  double auto_bloom_fpr = 0.01;
  /// Batches between two consolidations (`stagingConsolidationThreshold`).
  int staging_consolidation_threshold = 50;
  /// Batches since the last compaction from which on an update compacts the index at its end
  /// (`autoCompactThreshold`). 0: never.
  int64_t auto_compact_threshold = 0;
  /// Seconds without refresh after which a lock is stale (`lockTimeout`).
  double lock_timeout_seconds = 1800;
  /// Longest pause between tries for a lock, in seconds; the first are short (`lockRetryInterval`).
  double lock_retry_interval_seconds = 60;
  /// Seconds to wait for a lock before LockTimeout (`lockMaxWait`).
  double lock_max_wait_seconds = 3600;
  /// Batches between two refreshes of the update lock (`lockRefreshInterval`).
  int lock_refresh_interval = 1;
  /// Time zone (an IANA name) in which bloom tokens of timestamps are written, and in which those
  /// of filters are taken whose writer is not known. Empty: UTC is written, and a foreign filter on
  /// a timestamp column is "maybe".
  std::string token_time_zone;
};

}  // namespace ariadne
