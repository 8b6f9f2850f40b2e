#include "scan/row_group_reader.h"

#include <exception>
#include <string>
#include <utility>

#include "duckdb/common/error_data.hpp"
#include "duckdb/common/exception.hpp"
#include "scan/gone_file.h"
#include "scan/plain_copy_file.h"

namespace ariadne::scan {

void RethrowForFile(const std::string& path) {
  try {
    throw;
  } catch (const std::exception& caught) {
    const duckdb::ErrorData error(caught);
    if (error.ExtraInfo().find(kGoneFile) != error.ExtraInfo().end()) throw;
    switch (error.Type()) {
      case duckdb::ExceptionType::INTERRUPT:
      case duckdb::ExceptionType::OUT_OF_MEMORY:
        throw;
      default:
        break;
    }
    const std::string& message = error.RawMessage();
    if (message.find(path) != std::string::npos) throw duckdb::IOException("%s", message);
    throw duckdb::IOException("Reading \"%s\": %s", path, message);
  }
}

RowGroupReader::RowGroupReader(duckdb::ClientContext& context, const duckdb::OpenFileInfo& file,
                               const duckdb::ParquetOptions& options,
                               std::shared_ptr<RegisteredSet> set,
                               std::unique_ptr<PlainCopyFile> copy)
    : ParquetReader(context, file, options), set_(std::move(set)), copy_(std::move(copy)) {
  if (copy_ == nullptr) ++set_->files_opened;
}

RowGroupReader::~RowGroupReader() = default;

bool RowGroupReader::TryInitializeScan(duckdb::ClientContext&,
                                       duckdb::GlobalTableFunctionState& global,
                                       duckdb::LocalTableFunctionState& local) {
  auto& next = static_cast<RowGroupGlobalState&>(global).next_row_group;
  if (next >= NumRowGroups()) return false;
  static_cast<RowGroupLocalState&>(local).row_group = next++;
  return true;
}

void RowGroupReader::PrepareScan(duckdb::ClientContext& context, duckdb::GlobalTableFunctionState&,
                                 duckdb::LocalTableFunctionState& local) {
  auto& state = static_cast<RowGroupLocalState&>(local);
  try {
    InitializeScan(context, state.scan, {state.row_group});
  } catch (...) {
    RethrowForFile(GetFileName());
  }
}

duckdb::AsyncResult RowGroupReader::Scan(duckdb::ClientContext& context,
                                         duckdb::GlobalTableFunctionState&,
                                         duckdb::LocalTableFunctionState& local,
                                         duckdb::DataChunk& chunk) {
  auto& scan = static_cast<RowGroupLocalState&>(local).scan;
  const auto group = scan.current_group;
  const auto offset = scan.offset_in_group;
  const auto read = scan.row_groups_scanned;
  try {
    auto result = ParquetReader::Scan(context, scan, chunk);
    if (scan.current_group == group) {
      set_->rows_read += static_cast<int64_t>(scan.offset_in_group - offset);
    } else if (!scan.finished) {
      // The reader has just turned to the row group and checked its statistics.
      ++(scan.row_groups_scanned > read ? set_->row_groups_read : set_->row_groups_skipped);
    }
    return result;
  } catch (...) {
    RethrowForFile(GetFileName());
  }
}

void RowGroupReader::FinishFile(duckdb::ClientContext&, duckdb::GlobalTableFunctionState& global) {
  static_cast<RowGroupGlobalState&>(global).next_row_group = 0;
}

}  // namespace ariadne::scan
