#pragma once

#include <memory>
#include <string>

#include <arrow/type_fwd.h>
#include <parquet/metadata.h>

#include "source/parquet_file.h"

namespace ariadne::source {

/// True if the footer proves that every data page of the chunk holds indices into its dictionary.
bool IsAllDictionary(const parquet::ColumnChunkMetaData& chunk);

/// Gives the values of one column chunk, without NULLs, each distinct one at least once: its
/// dictionary page, and the pages that are not dictionary-encoded. Only the dictionary page is read
/// where the footer says that it is enough.
class ColumnChunk {
 public:
  virtual ~ColumnChunk() = default;
  /// Up to some 64 Ki values; nullptr at the end. Throws Parquet's exceptions and errors of ours.
  virtual std::shared_ptr<arrow::Array> Next() = 0;

  /// `type`: what `LeafType` gave for the column. `name` is for messages. `file` outlives the
  /// chunk.
  static std::unique_ptr<ColumnChunk> Open(const ParquetFile& file, int row_group, int column,
                                           std::shared_ptr<arrow::DataType> type, std::string name);
};

}  // namespace ariadne::source
