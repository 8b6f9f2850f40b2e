#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <arrow/type_fwd.h>

#include "build/plan.h"
#include "index/column_index.h"

namespace ariadne::build {

/// What one visit of a file found: its row of the main index, or the cells that its row lacked.
struct FileRow {
  std::string uri;
  int64_t file_size = 0;
  /// A cell (array of length 1, never null) for each declared column that was built; nullptr for
  /// the others.
  std::vector<std::shared_ptr<arrow::Array>> cells;
  std::optional<RowPlace> old_row;
  int64_t bytes = 0;  ///< Memory that the cells take.
};

/// A file that is opened and not read yet, so that its memory can be asked for first.
class OpenedFile {
 public:
  /// Reads the footer. Throws InvalidFile, ObjectNotFound, StorageError.
  OpenedFile(const FileJob& job, const std::vector<IndexedColumn>& columns,
             const std::shared_ptr<arrow::Schema>& schema);
  ~OpenedFile();

  /// Upper bound of the memory that building takes, in bytes.
  [[nodiscard]] int64_t memory_bound() const;
  /// Reads each column once, and not at all where the footer proves its range. Throws InvalidFile,
  /// StorageError.
  FileRow Build(const index::BuildContext& context) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ariadne::build
