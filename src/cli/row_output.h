#pragma once

#include <cstdint>
#include <cstdio>
#include <iosfwd>
#include <memory>
#include <string>

#include <arrow/type_fwd.h>

#include "cli/command.h"
#include "cli/output.h"

namespace ariadne::cli {

/// Rows as JSON text in a nameless file: the answer is printed only when all of it is there,
/// however large, so that an error in its middle leaves no half object on standard output.
class JsonRows {
 public:
  /// Throws StorageError where there is no room for it.
  JsonRows();
  ~JsonRows();
  JsonRows(const JsonRows&) = delete;
  JsonRows& operator=(const JsonRows&) = delete;

  void Add(const arrow::RecordBatch& batch);
  [[nodiscard]] int64_t rows() const { return rows_; }
  /// The rows as arrays of cells, separated by commas.
  void Print(std::ostream& out);

 private:
  std::FILE* file_;
  int64_t rows_ = 0;
};

/// Prints one object and a line feed: `answer` with `rows` as its last member, "data".
void PrintWithRows(std::ostream& out, const Json& answer, JsonRows& rows);

/// Throws InvalidArgument for a name that does not end in .parquet, .csv or .json.
void CheckOutputSuffix(const std::string& output);

/// Writes the rows to a file or URL by its suffix and returns their number.
int64_t WriteRows(const std::string& output, const std::shared_ptr<arrow::RecordBatchReader>& rows,
                  const Context& context);

}  // namespace ariadne::cli
