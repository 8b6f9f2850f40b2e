#pragma once

#include <memory>
#include <string_view>

#include <arrow/type_fwd.h>

#include "text/text_format.h"

namespace ariadne::text {

/// Reads the fields of one CSV column as values of its declared type.
class CsvValue {
 public:
  /// `type` is one that a CSV file can hold; both must outlive this.
  CsvValue(const arrow::DataType& type, const TextOptions& options)
      : type_(type), options_(options) {}

  /// False for a field that is no value of the type. NULL always fits.
  [[nodiscard]] bool Fits(bool null, std::string_view field) const;
  /// Appends the value, NULL for what is none, to a builder of the type.
  void Append(bool null, std::string_view field, arrow::ArrayBuilder* builder) const;

 private:
  const arrow::DataType& type_;
  const TextOptions& options_;
};

}  // namespace ariadne::text
