#pragma once

// Includes the engine's headers: for the sources of this part only.

#include <memory>
#include <string>
#include <vector>

#include "duckdb/common/open_file_info.hpp"

namespace duckdb {
class ClientContext;
class ParquetReader;
}  // namespace duckdb

namespace ariadne::scan {

/// Option of an OpenFileInfo: path of the local file that is read in place of the one named.
inline constexpr char kReadFrom[] = "ariadne_read_from";

/// A copy of some columns of a Parquet file, in encodings that the engine reads; gone with this
/// object.
class PlainCopyFile {
 public:
  /// Whether the engine lacks the encoding of one of these columns: at 1.5.6, BYTE_STREAM_SPLIT of
  /// anything but floats. Names compare without case, as the engine's own do.
  static bool IsNeeded(const duckdb::ParquetReader& reader,
                       const std::vector<std::string>& columns);

  /// Copies the columns into the engine's folder for temporary files.
  PlainCopyFile(duckdb::ClientContext& context, const duckdb::OpenFileInfo& file,
                const std::vector<std::string>& columns);
  ~PlainCopyFile();
  PlainCopyFile(const PlainCopyFile&) = delete;
  PlainCopyFile& operator=(const PlainCopyFile&) = delete;

  /// Opens the copy under the name of the file.
  [[nodiscard]] duckdb::OpenFileInfo Open(const std::string& url) const;

 private:
  std::string path_;
};

}  // namespace ariadne::scan
