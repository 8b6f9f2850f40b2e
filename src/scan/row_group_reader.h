#pragma once

// Includes the engine's headers: for the sources of this part only.

#include <memory>
#include <string>
#include <vector>

#include "parquet_reader.hpp"
#include "scan/file_sets.h"

namespace ariadne::scan {

/// Shared by the threads of one scan: which row group of the open file comes next. Guarded by the
/// lock that the engine holds around TryInitializeScan and FinishFile.
struct RowGroupGlobalState : duckdb::GlobalTableFunctionState {
  duckdb::idx_t next_row_group = 0;
  std::vector<std::string> columns;  ///< Those that the scan reads.
};

struct RowGroupLocalState : duckdb::LocalTableFunctionState {
  duckdb::ParquetReaderScanState scan;
  duckdb::idx_t row_group = 0;
};

class PlainCopyFile;

/// The engine's Parquet reader over one file of a set. Each row group is a task of its own:
/// TryInitializeScan hands it out (here is where other indexes can drop one), PrepareScan opens it,
/// Scan gives its rows. Errors name the file.
class RowGroupReader : public duckdb::ParquetReader {
 public:
  /// `copy`: what `file` opens where that is a copy; it lives as long as the reader.
  RowGroupReader(duckdb::ClientContext& context, const duckdb::OpenFileInfo& file,
                 const duckdb::ParquetOptions& options, std::shared_ptr<RegisteredSet> set,
                 std::unique_ptr<PlainCopyFile> copy = nullptr);
  ~RowGroupReader() override;

  bool TryInitializeScan(duckdb::ClientContext& context, duckdb::GlobalTableFunctionState& global,
                         duckdb::LocalTableFunctionState& local) override;
  void PrepareScan(duckdb::ClientContext& context, duckdb::GlobalTableFunctionState& global,
                   duckdb::LocalTableFunctionState& local) override;
  duckdb::AsyncResult Scan(duckdb::ClientContext& context, duckdb::GlobalTableFunctionState& global,
                           duckdb::LocalTableFunctionState& local,
                           duckdb::DataChunk& chunk) override;
  void FinishFile(duckdb::ClientContext& context,
                  duckdb::GlobalTableFunctionState& global) override;

 private:
  std::shared_ptr<RegisteredSet> set_;
  std::unique_ptr<PlainCopyFile> copy_;
};

/// Rethrows what is in flight so that it names the file, and so that a damaged file never counts
/// as an internal error of the engine, which would end the whole database.
[[noreturn]] void RethrowForFile(const std::string& path);

}  // namespace ariadne::scan
