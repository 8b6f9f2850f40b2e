#pragma once

// Includes the engine's headers: for the sources of this part only.

#include <cstdint>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "parquet_file_metadata_cache.hpp"
#include "parquet_reader.hpp"
#include "rowgroup/file_identity.h"

namespace ariadne::scan {

/// What must be known of a file to rule it out by its row-group indexes alone.
struct FileOutline {
  rowgroup::FileIdentity file;
  int32_t row_groups = 0;
  duckdb::shared_ptr<duckdb::ParquetFileMetadataCache> schema;  ///< A footer without row groups.
};

/// Outlines of the files that were read: one of which indexes rule out every row group need not be
/// read again, not even its footer. Thread-safe.
class FileOutlines {
 public:
  /// `bytes`: held at most, about; what was kept first goes first.
  explicit FileOutlines(int64_t bytes = int64_t{32} << 20) : most_bytes_(bytes) {}

  /// Of a file that was opened as `file`; but of none that is encrypted, or whose footer gives
  /// columns a meaning besides their schema (GeoParquet).
  void Keep(const rowgroup::FileIdentity& file, duckdb::ParquetReader& opened);
  /// What is known under the name, whatever is there by now.
  [[nodiscard]] std::optional<FileOutline> Find(const std::string& uri) const;

  /// Held now: files, and bytes, about.
  [[nodiscard]] std::pair<int64_t, int64_t> size() const;

 private:
  /// Most files of a lake have the same.
  struct Schema {
    duckdb::shared_ptr<duckdb::ParquetFileMetadataCache> footer;
    int64_t files = 0;
  };
  using Schemas = std::unordered_map<std::string, Schema>;  ///< By all that they say.
  struct Kept {
    FileOutline outline;
    Schemas::iterator schema;
  };
  using Files = std::list<Kept>;
  void Drop(Files::iterator kept);

  const int64_t most_bytes_;
  mutable std::mutex mutex_;
  Files files_;  ///< Kept first in front.
  std::unordered_map<std::string_view, Files::iterator> by_name_;
  Schemas schemas_;
  int64_t bytes_ = 0;
};

}  // namespace ariadne::scan
