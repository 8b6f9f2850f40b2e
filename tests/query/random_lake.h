#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <arrow/table.h>
#include <arrow/type.h>

namespace ariadne::testing {

/// A folder below the system's temporary one, gone with the object.
class TempFolder {
 public:
  TempFolder();
  ~TempFolder();
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

/// Text that two values share exactly when SQL calls them equal: -0.0 is 0.0, NaN is NaN.
std::string Canonical(const arrow::Scalar& value);
/// All columns of a row; `null` where a value is missing.
std::string RowText(const arrow::Table& table, int64_t row);
/// The rows as a multiset, ready to be compared.
std::multiset<std::string> Rows(const arrow::Table& table);

void WriteParquet(const std::filesystem::path& path, const arrow::Table& table,
                  int64_t row_group_rows = 7);
std::shared_ptr<arrow::Table> ReadAll(arrow::RecordBatchReader& reader);

/// One of every type that can be indexed.
std::shared_ptr<arrow::Schema> LakeSchema();
/// Values from a small pool, so that files share some and lack others; about a fifth are NULL.
std::shared_ptr<arrow::Array> RandomColumn(const std::shared_ptr<arrow::DataType>& type,
                                           int64_t rows, std::mt19937& random);
std::shared_ptr<arrow::Table> RandomRows(int64_t rows, std::mt19937& random);

/// How many random lakes to try: more where ARIADNE_LONG_TESTS is set.
int RandomCases();

/// Data files with what they hold.
struct DataFiles {
  explicit DataFiles(std::filesystem::path folder) : folder(std::move(folder)) {}
  /// Writes a file under a name with blanks, percent signs and non-ASCII letters; returns its URI.
  std::string Add(const std::shared_ptr<arrow::Table>& rows);
  /// URIs of the files that hold one of `values` in `column`.
  [[nodiscard]] std::set<std::string> Holding(const std::string& column,
                                              const arrow::Array& values) const;
  /// URIs of all files.
  [[nodiscard]] std::set<std::string> All() const;
  /// All rows of all files.
  [[nodiscard]] std::shared_ptr<arrow::Table> Table() const;

  std::filesystem::path folder;
  std::map<std::string, std::shared_ptr<arrow::Table>> rows_of;  ///< By URI.
  std::map<std::string, std::string> path_of;                    ///< Plain path, by URI.
};

}  // namespace ariadne::testing
