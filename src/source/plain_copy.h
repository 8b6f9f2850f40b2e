#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include <arrow/io/type_fwd.h>

namespace ariadne::source {

/// Writes the Parquet file `from` to `to` once more, value for value and row group for row group,
/// in the one encoding that every reader has: PLAIN, not compressed. Only the top-level columns
/// whose names `wanted` takes are written, with their types as they are. `uri` names the file in
/// errors. Memory: some thousands of values. Throws InvalidFile, StorageError.
void WritePlainCopy(const std::shared_ptr<arrow::io::RandomAccessFile>& from,
                    const std::string& uri,
                    const std::function<bool(std::string_view name)>& wanted,
                    const std::shared_ptr<arrow::io::OutputStream>& to);

}  // namespace ariadne::source
