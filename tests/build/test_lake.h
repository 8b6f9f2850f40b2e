#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <arrow/type_fwd.h>

#include "build/update.h"
#include "storage/delta_table.h"
#include "storage/metadata.h"
#include "temp_folder.h"

namespace ariadne::testing {

/// A lake of real Parquet files in a folder, an index over it, and what the index should say by
/// brute force.
class TestLake {
 public:
  /// In a fresh folder; or, with `folder`, over one that another process made.
  TestLake();
  explicit TestLake(const std::filesystem::path& folder);

  /// Types and awkward values: id bigint, s string, d double, dec decimal(10,2), ts timestamp, day
  /// date, b boolean.
  static std::shared_ptr<arrow::Schema> Schema();
  static std::shared_ptr<arrow::Table> RandomRows(std::mt19937* random, int64_t rows);

  /// Writes data/{name} and returns its URI. The next update should index it.
  std::string Write(const std::string& name, const std::shared_ptr<arrow::Table>& rows);
  std::string WriteBytes(const std::string& name, const std::string& bytes);
  void Track(const std::vector<std::string>& stored_names);
  /// Replaces metadata.json.
  void Declare(const std::vector<std::string>& regular, const std::vector<std::string>& bloom,
               const std::vector<std::string>& range);

  UpdateReport Update(const UpdateOptions& options = {});

  [[nodiscard]] storage::IndexMetadata Metadata() const;
  [[nodiscard]] std::shared_ptr<storage::DeltaTable> Main() const;
  /// All rows of a table as one, columns in the table's order.
  [[nodiscard]] static std::shared_ptr<arrow::Table> Rows(const storage::DeltaTable& table);
  /// The main index as text, one line a file, sorted: equal for equal indexes.
  [[nodiscard]] std::vector<std::string> Dump() const;
  /// Checks, against brute force over the files written: one row a file, all cells, sizes, total,
  /// lookup files, no staging left.
  void Check(const std::set<std::string>& without = {}) const;
  /// Checks the rows and cells that there are, whatever state the index is in.
  void CheckWhatIsThere() const;

  [[nodiscard]] std::filesystem::path path() const { return path_; }
  [[nodiscard]] const storage::IndexLayout& layout() const { return target_.layout; }
  Options& options() { return target_.options; }

 private:
  void CheckCells(const std::string& uri, const arrow::Table& rows, int64_t row,
                  bool all_built) const;
  void CheckLookups() const;

  std::unique_ptr<TempFolder> folder_;
  std::filesystem::path path_;
  build::UpdateTarget target_;
  std::map<std::string, std::shared_ptr<arrow::Table>> files_;  // By URI.
};

}  // namespace ariadne::testing
