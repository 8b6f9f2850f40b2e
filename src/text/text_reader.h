#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <arrow/io/type_fwd.h>
#include <arrow/type_fwd.h>

#include "text/text_format.h"

namespace ariadne::text {

/// Throws UnsupportedColumn where a column of the schema has a type that the format cannot hold
/// (nested and binary columns in CSV, maps with keys other than strings in JSON), or the name of
/// Spark's column for corrupt records.
void CheckTextSchema(const arrow::Schema& schema, const TextOptions& options);

/// What a file is called.
struct TextName {
  std::string uri;   ///< As stored; its folders give partition values. Empty: they give none.
  std::string name;  ///< For messages; its suffix tells the compression.
};

/// Rows of one CSV or JSON file as Spark 3.5 reads them (docs/text-formats.md), batch by batch.
/// CSV columns are the declared ones by position, JSON fields by exact name; columns that folders
/// of the file's name give a value are constants and no part of the file.
class TextReader {
 public:
  /// `columns`: names of declared columns, in the order of the batches; which ones are asked for
  /// never changes a row or a value. Throws UnsupportedColumn, InvalidFile, StorageError.
  TextReader(const std::shared_ptr<arrow::io::RandomAccessFile>& file, const TextName& name,
             const std::shared_ptr<arrow::Schema>& declared, const TextOptions& options,
             const std::vector<std::string>& columns, int64_t batch_rows);
  ~TextReader();

  /// Fields of the batches, in the order asked for, as declared.
  [[nodiscard]] const std::shared_ptr<arrow::Schema>& schema() const;
  /// At most `batch_rows` rows, fewer where they are long; nullptr: there are none left. Throws
  /// InvalidFile (damaged, or a record that does not fit in mode FAILFAST), StorageError.
  std::shared_ptr<arrow::RecordBatch> Next();

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace ariadne::text
