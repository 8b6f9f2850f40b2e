#pragma once

#include <cstdint>
#include <memory>

#include <arrow/type_fwd.h>

#include "storage/delta_table.h"
#include "storage/object_store.h"

namespace ariadne::storage {

/// Writes one Parquet data file into the folder of a Delta table under a fresh name, the way every
/// reader of the format takes it: Snappy, page index, every column nullable, timestamps INT64
/// microseconds, and the key `org.apache.spark.version`, without which Spark refuses dates before
/// 1582. The file belongs to the table once a commit adds what `Finish` returns; dropped before
/// that, it leaves nothing behind. Not thread-safe.
class DeltaFileWriter {
 public:
  /// Throws StorageError. `schema`: the columns to write, a subset of the table's or all of them.
  DeltaFileWriter(const ObjectRef& folder, std::shared_ptr<arrow::Schema> schema);
  ~DeltaFileWriter();
  DeltaFileWriter(const DeltaFileWriter&) = delete;
  DeltaFileWriter& operator=(const DeltaFileWriter&) = delete;

  /// One row group a call; an empty batch writes nothing. The batch has the schema's types.
  void Write(const arrow::RecordBatch& batch);
  [[nodiscard]] int64_t rows() const;
  /// Bytes handed to the store so far; the footer comes on top.
  [[nodiscard]] int64_t bytes() const;
  /// Closes the file and returns its entry for `TableChange::adds`: statistics of top-level
  /// string, long, integer and timestamp columns, and null counts of the others.
  DataFile Finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ariadne::storage
