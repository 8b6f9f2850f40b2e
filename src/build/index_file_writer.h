#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <arrow/type_fwd.h>

#include "index/column_index.h"
#include "storage/delta_writer.h"

namespace ariadne::build {

/// Writes one data file of the main index or of staging: gathers rows into row groups that are
/// small enough to skip, and with `lookups` the lookup file of each regular column. Not
/// thread-safe.
class IndexFileWriter {
 public:
  /// `schema`: what to write. `lookup_columns`: the regular columns that get a lookup file;
  /// `native`: where. `context`: memory for the lookups.
  IndexFileWriter(const storage::ObjectRef& folder, std::shared_ptr<arrow::Schema> schema,
                  std::vector<std::string> lookup_columns, storage::ObjectRef native,
                  const index::BuildContext& context);
  ~IndexFileWriter();

  /// `rows`: of the schema; slices are fine. They should ascend by filename.
  void Append(const std::shared_ptr<arrow::RecordBatch>& rows);
  [[nodiscard]] int64_t rows() const;
  /// Bytes of the file so far, about.
  [[nodiscard]] int64_t bytes() const;
  /// Uncompressed bytes gathered and not yet written.
  [[nodiscard]] int64_t pending_bytes() const;
  /// Closes the data file, then writes the lookup files. All are in place, and durable, when this
  /// returns; a commit may follow.
  storage::DataFile Finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ariadne::build
