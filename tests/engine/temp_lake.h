#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <arrow/type_fwd.h>
#include <parquet/type_fwd.h>

#include "engine/session.h"
#include "scan/file_scan.h"

namespace ariadne::engine {

/// A folder that vanishes with the test, and what tests do with files in it.
class TempLake {
 public:
  TempLake();
  ~TempLake();
  TempLake(const TempLake&) = delete;
  TempLake& operator=(const TempLake&) = delete;

  [[nodiscard]] std::string Path(const std::string& name) const;
  [[nodiscard]] std::string Url(const std::string& name) const { return "file://" + Path(name); }
  /// Writes text, making folders.
  void WriteText(const std::string& name, const std::string& text) const;
  /// Writes Parquet; INT96 timestamps where asked. Makes folders.
  void WriteParquet(const std::string& name, const arrow::Table& table,
                    int64_t row_group_rows = 1 << 20, bool int96 = false) const;
  void WriteParquet(const std::string& name, const arrow::Table& table, int64_t row_group_rows,
                    bool int96, const std::shared_ptr<parquet::WriterProperties>& properties) const;
  /// A set of these files, size known.
  [[nodiscard]] std::shared_ptr<scan::FileSet> Files(const std::vector<std::string>& names,
                                                     std::shared_ptr<arrow::Schema> schema) const;

 private:
  std::filesystem::path folder_;
};

/// A session over local disks with small settings.
std::unique_ptr<Session> OpenSession(int64_t memory_bytes = 512 << 20);

/// All rows as JSON text, sorted: what two results are compared by.
std::vector<std::string> Rows(Session& session, const std::string& sql);
std::vector<std::string> Rows(const arrow::Table& table);
/// The only cell of the only row as text.
std::string Cell(Session& session, const std::string& sql);

/// A table from JSON rows, one text a column.
std::shared_ptr<arrow::Table> TableOf(const std::shared_ptr<arrow::Schema>& schema,
                                      const std::vector<std::string>& columns_json);

}  // namespace ariadne::engine
