#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <arrow/io/type_fwd.h>

#include "source/data_file.h"
#include "text/text_format.h"

namespace ariadne::text {

/// One CSV or JSON file of the lake, as the index builders read it. Nothing is read before values
/// are asked for; each call of VisitDistinct reads the file once.
class TextSource : public source::DataFile {
 public:
  /// `uri` is named in messages, gives the partition values and, by its suffix, the compression.
  /// Throws UnsupportedColumn, InvalidFile for a compression that is not supported.
  TextSource(std::shared_ptr<arrow::io::RandomAccessFile> file, std::string uri,
             std::shared_ptr<arrow::Schema> declared, const TextOptions& options);

  /// Estimates from the size of the file: a text has no statistics.
  [[nodiscard]] int64_t MemoryUpperBound(const std::string& column) const override;
  [[nodiscard]] int64_t DistinctUpperBound(const std::string& column) const override;
  /// Always nullopt.
  [[nodiscard]] std::optional<source::MinMax> ExactRange(const std::string& column) const override;
  void VisitDistinct(const std::vector<std::string>& columns, const Visitor& visit) const override;

  /// Rows of the file; -1 before VisitDistinct has read it to its end.
  [[nodiscard]] int64_t num_rows() const { return num_rows_; }

 private:
  [[nodiscard]] int64_t TextBytes() const;

  const std::shared_ptr<arrow::io::RandomAccessFile> file_;
  const std::string uri_;
  const std::shared_ptr<arrow::Schema> declared_;
  const TextOptions options_;
  mutable int64_t num_rows_ = -1;
};

}  // namespace ariadne::text
