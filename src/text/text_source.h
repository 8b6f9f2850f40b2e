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
/// are asked for; each visit reads the file once.
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
  [[nodiscard]] int64_t RowUpperBound() const override;
  [[nodiscard]] bool reads_whole_rows() const override { return true; }
  void VisitDistinct(const std::string& column, const ValueVisitor& visit) const override;
  bool VisitDistinctElements(const source::ElementPath&, const std::shared_ptr<arrow::DataType>&,
                             const ValueVisitor&) const override {
    return false;
  }
  void VisitRows(const std::vector<std::string>& columns, const RowVisitor& visit) const override;

 private:
  [[nodiscard]] int64_t TextBytes() const;

  const std::shared_ptr<arrow::io::RandomAccessFile> file_;
  const std::string uri_;
  const std::shared_ptr<arrow::Schema> declared_;
  const TextOptions options_;
};

}  // namespace ariadne::text
