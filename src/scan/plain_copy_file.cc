#include "scan/plain_copy_file.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include <arrow/io/file.h>

#include "ariadne/errors.h"
#include "duckdb/common/file_system.hpp"
#include "duckdb/common/string_util.hpp"
#include "duckdb/main/client_context.hpp"
#include "duckdb/main/config.hpp"
#include "parquet_reader.hpp"
#include "source/plain_copy.h"
#include "storage/arrow_io.h"

namespace ariadne::scan {

namespace {

bool Contains(const std::vector<std::string>& columns, const std::string& name) {
  return std::any_of(columns.begin(), columns.end(), [&](const std::string& column) {
    return duckdb::StringUtil::CIEquals(column, name);
  });
}

bool IsUnreadable(const duckdb_parquet::ColumnMetaData& chunk) {
  using duckdb_parquet::Encoding;
  using duckdb_parquet::Type;
  if (chunk.type == Type::FLOAT || chunk.type == Type::DOUBLE) return false;
  return std::find(chunk.encodings.begin(), chunk.encodings.end(), Encoding::BYTE_STREAM_SPLIT) !=
         chunk.encodings.end();
}

void Check(const arrow::Status& status, const std::string& url, const std::string& copy) {
  if (status.ok()) return;
  throw StorageError("\"" + url + "\" has columns that are copied before they can be read, and " +
                     copy + " could not be written: " + status.message());
}

}  // namespace

bool PlainCopyFile::IsNeeded(const duckdb::ParquetReader& reader,
                             const std::vector<std::string>& columns) {
  for (const auto& group : reader.GetFileMetadata()->row_groups) {
    for (const auto& chunk : group.columns) {
      const auto& data = chunk.meta_data;
      if (IsUnreadable(data) && !data.path_in_schema.empty() &&
          Contains(columns, data.path_in_schema.front())) {
        return true;
      }
    }
  }
  return false;
}

PlainCopyFile::PlainCopyFile(duckdb::ClientContext& context, const storage::ObjectRef& file,
                             const std::string& url, const std::vector<std::string>& columns) {
  const std::string folder = duckdb::DBConfig::GetConfig(context).options.temporary_directory;
  std::string name = folder + "/plain-XXXXXX";
  const int descriptor = mkstemp(name.data());
  if (descriptor < 0) Check(arrow::Status::IOError("no file can be made"), url, folder);
  path_ = name;
  try {
    const auto out = arrow::io::FileOutputStream::Open(descriptor);
    Check(out.status(), url, path_);
    source::WritePlainCopy(
        storage::OpenInput(file), url,
        [&](std::string_view column) { return Contains(columns, std::string(column)); }, *out);
    Check((*out)->Close(), url, path_);
  } catch (...) {
    (void)unlink(path_.c_str());
    throw;
  }
}

PlainCopyFile::~PlainCopyFile() { (void)unlink(path_.c_str()); }

duckdb::OpenFileInfo PlainCopyFile::Open(const std::string& url) const {
  duckdb::OpenFileInfo info(url);
  info.extended_info = duckdb::make_shared_ptr<duckdb::ExtendedOpenFileInfo>();
  info.extended_info->options[kReadFrom] = duckdb::Value(path_);
  return info;
}

}  // namespace ariadne::scan
