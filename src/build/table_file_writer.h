#pragma once

#include <cstdint>
#include <memory>

#include <arrow/type_fwd.h>

#include "build/workspace.h"
#include "storage/delta_table.h"
#include "storage/object_store.h"

namespace ariadne::build {

/// Writes one data file of any table of an index. The main index gets the small row groups and the
/// lookup files that its queries want (build/index_file_writer.h), a table of single values large
/// row groups. Not thread-safe.
class TableFileWriter {
 public:
  TableFileWriter(Workspace* workspace, const storage::ObjectRef& folder,
                  std::shared_ptr<arrow::Schema> schema, bool with_lookups);
  ~TableFileWriter();
  void Append(const std::shared_ptr<arrow::RecordBatch>& rows);
  [[nodiscard]] int64_t rows() const;
  /// Bytes of the file so far, about.
  [[nodiscard]] int64_t bytes() const;
  storage::DataFile Finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ariadne::build
