#pragma once

#include <memory>
#include <string>
#include <vector>

#include <arrow/type_fwd.h>

#include "ariadne/index.h"
#include "ariadne/options.h"

namespace ariadne {

namespace internal {
class LakeImpl;
}

/// What `Describe` tells about an index.
struct IndexSummary {
  std::string name;
  std::string format;
  ReadOptions read_options;
  std::shared_ptr<arrow::Schema> schema;
  std::vector<IndexedColumn> columns;
  int64_t tracked_files = 0;
  int64_t indexed_files = 0;
  int64_t total_indexed_bytes = 0;  ///< Size of the indexed data files; -1: unknown.
  int metadata_version = 0;
  int storage_format_version = 0;
};

/// What an index is created with.
struct IndexDefinition {
  std::string format = "parquet";  ///< Or "csv" or "json".
  std::shared_ptr<arrow::Schema> schema;
  ReadOptions read_options = {};  ///< Of CSV and JSON; kept, and applied ever after.
  /// What to index, as by `Index::AddIndex`: all of it, or nothing where one cannot be.
  std::vector<IndexedColumn> columns = {};
  /// Where the index exists with another schema: takes this one instead of refusing. Every indexed
  /// column must be in it, with the type that it had. Over CSV files, whose columns go by place, a
  /// column may only come or go at the end; over JSON files, and where read options leave records
  /// out, nothing may change once columns are indexed.
  bool allow_schema_mismatch = false;
};

/// A storage root: a folder or URL that holds indexes.
class Lake {
 public:
  /// `root`: an absolute or relative path, or a URL (file, s3, s3a, gs, abfss, az). Opening reads
  /// nothing. Throws InvalidArgument for a URL that no store serves and an unknown time zone.
  explicit Lake(const std::string& root, Options options = {});

  /// Creates the index, or opens it where it exists with the same definition, and declares on it
  /// what it lacks of `columns`. Throws InvalidArgument for a bad name, a format or a read option
  /// that is not supported, UnsupportedColumn for a column that the format cannot hold,
  /// SchemaMismatch or FormatMismatch (read options too) where it exists otherwise, and what
  /// `Index::AddIndex` throws; then nothing was written.
  Index Create(const std::string& name, const IndexDefinition& definition);
  /// Throws IndexNotFound, MetadataCorrupt, UnsupportedMetadataVersion, UnsupportedStorageVersion,
  /// and InvalidArgument or UnsupportedColumn where its files cannot be read as it says.
  [[nodiscard]] Index Open(const std::string& name) const;
  [[nodiscard]] bool Exists(const std::string& name) const;
  /// Names of all indexes, sorted.
  [[nodiscard]] std::vector<std::string> List() const;
  [[nodiscard]] IndexSummary Describe(const std::string& name) const;
  /// All indexes, sorted by name; one that cannot be read is left out and named in `unreadable`.
  [[nodiscard]] std::vector<IndexSummary> DescribeAll(
      std::vector<std::string>* unreadable = nullptr) const;
  /// Names of the indexes that track a file, sorted, whatever spelling was used there or here.
  [[nodiscard]] std::vector<std::string> Find(const std::string& file) const;
  /// Names under which something is left of an index without metadata (a folder, a file list),
  /// sorted: `Remove` clears it away.
  [[nodiscard]] std::vector<std::string> Leftovers() const;
  /// Removes the index and its file list, also what is left of one without metadata. Data files
  /// are never touched. Throws IndexNotFound, LockTimeout.
  void Remove(const std::string& name);

  /// Schema of the data files that `path` (file, directory, glob) names, Hive partition columns
  /// included. Parquet: of the first file. CSV and JSON: what Spark infers from all of them; types
  /// of CSV columns are strings without the read option `inferSchema`. Throws FileNotFound,
  /// InvalidFile, and InvalidArgument for a format or a read option that is not supported.
  [[nodiscard]] std::shared_ptr<arrow::Schema> InferSchema(const std::string& path,
                                                           const std::string& format = "parquet",
                                                           const ReadOptions& options = {}) const;
  /// A table from a Parquet, CSV or JSON file, by its suffix (.parquet, .pq, .parq, .csv, .tsv,
  /// .json, .jsonl, .ndjson; text also with .gz behind). The first line of a CSV file has the
  /// names; fields are split at commas, in .tsv at tabs; types are found over all rows; an empty
  /// field is NULL, while a quoted one ("") is the empty text in a column of text and NULL in any
  /// other. Numbers that no integer of 64 bits holds are doubles. Throws FileNotFound, InvalidFile;
  /// InvalidArgument for a name without such a suffix, or that of a folder.
  [[nodiscard]] std::shared_ptr<arrow::Table> ReadTable(const std::string& path) const;
  /// The same for keys that are to meet columns `on` of an index. CSV and JSON files say little of
  /// types: where the index's column is a string, a decimal or a float, or is derived, the key is
  /// what is written there, "1.50" and not 1.5, and integers keep every digit. `delimiter`: what
  /// stands between the fields of a CSV file; empty: as ReadTable has it. Throws as ReadTable, and
  /// InvalidArgument for a delimiter that is none.
  [[nodiscard]] std::shared_ptr<arrow::Table> ReadKeys(const std::string& path, const Index& index,
                                                       const std::vector<std::string>& on,
                                                       const std::string& delimiter = "") const;

 private:
  std::shared_ptr<internal::LakeImpl> impl_;
};

}  // namespace ariadne
