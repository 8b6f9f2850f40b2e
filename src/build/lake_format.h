#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <arrow/io/type_fwd.h>
#include <arrow/type_fwd.h>

#include "ariadne/index.h"
#include "build/logged_files.h"
#include "source/data_file.h"
#include "text/text_format.h"

namespace ariadne::build {

/// How the data files of an index are read.
struct LakeFormat {
  std::shared_ptr<arrow::Schema> schema;
  std::optional<text::TextOptions> text;  ///< Of CSV and JSON; nullopt: Parquet.
  LoggedFiles logged;                     ///< What gives columns their partition values.

  /// Opens one of the files, of which only a footer is read. Throws InvalidFile, StorageError.
  [[nodiscard]] std::unique_ptr<source::DataFile> Open(
      std::shared_ptr<arrow::io::RandomAccessFile> file, std::string uri) const;
};

/// What an index declares of its files. Throws InvalidArgument for a format or a read option that
/// is not supported, UnsupportedColumn for a column that the format cannot hold.
LakeFormat LakeFormatOf(const std::string& format, std::shared_ptr<arrow::Schema> schema,
                        const ReadOptions& options);

/// Refuses files whose suffix names another format than the index's, where that would take any
/// bytes for rows: CSV and JSON. Throws FormatMismatch.
void CheckSuffixes(const std::string& format, const std::vector<std::string>& uris);

}  // namespace ariadne::build
