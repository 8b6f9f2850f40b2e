#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "storage/object_store.h"

namespace ariadne::storage {

/// The contents of metadata.json: see docs/storage-format.md. Keys unknown here survive a rewrite.
struct IndexMetadata {
  struct ExplodedField {
    std::string array_column, field_path, as_column;
  };
  struct Bloom {
    std::string column;
    double fpr = 0.01;
  };
  struct Temporal {
    std::string column, timestamp_column;
  };

  static constexpr int kMetadataVersion = 10;
  /// What we write for a new index; versions up to kMaxStorageVersion are understood.
  static constexpr int kStorageVersion = 3;
  static constexpr int kMaxStorageVersion = 4;

  std::string format;
  std::string schema_json;  ///< Spark StructType JSON.
  std::vector<std::string> regular;
  std::vector<std::pair<std::string, std::string>> computed;  ///< (name, expression), in order.
  std::vector<ExplodedField> exploded;
  std::vector<Bloom> bloom;
  std::vector<Temporal> temporal;
  std::vector<std::pair<std::string, std::string>> read_options;
  std::vector<std::string> range;
  std::vector<std::string> auto_bloom;
  int64_t total_indexed_file_size = -1;
  int64_t batches_since_compact = 0;
  int metadata_version = kMetadataVersion;
  int storage_format_version = kStorageVersion;  ///< Absent in the file: 1.
  /// Ours alone. False: no Delta table's log says anything of the tracked files that the files do
  /// not (build/logged_files.h). Absent, as where the JVM library wrote last: the store has to be
  /// asked.
  std::optional<bool> delta_lake;

  /// Throws MetadataCorrupt, UnsupportedMetadataVersion, UnsupportedStorageVersion; `where` names
  /// the file in messages.
  static IndexMetadata Parse(const std::string& json, const std::string& where);
  /// One line, keys in the format's order, escaped as Gson does, then the unknown keys.
  [[nodiscard]] std::string ToJson() const;

  /// nullopt: no such file.
  static std::optional<IndexMetadata> Read(const ObjectRef& object);
  /// Atomic replace.
  void Write(const ObjectRef& object) const;

  std::string unknown_keys_json = "{}";  ///< JSON object of what was not understood.
};

}  // namespace ariadne::storage
