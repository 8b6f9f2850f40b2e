#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "rowgroup/predicate.h"
#include "rowgroup/value.h"

namespace ariadne::rowgroup {

/// Smallest and largest value of a row group, and whether it holds NULL and NaN. Of bytes only
/// prefixes are kept, so the bounds may lie outside the values, never inside.
class ValueRange {
 public:
  explicit ValueRange(Domain domain) : domain_(domain) {}

  void AddNull() { has_null_ = true; }
  void Add(int64_t value) {
    if (!has_value_ || value < least_) least_ = value;
    if (!has_value_ || value > greatest_) greatest_ = value;
    has_value_ = true;
  }
  void Add(double value) {
    if (std::isnan(value)) {
      has_nan_ = true;
      return;
    }
    value = Canonical(value);
    if (!has_value_ || value < least_double_) least_double_ = value;
    if (!has_value_ || value > greatest_double_) greatest_double_ = value;
    has_value_ = true;
  }
  void Add(std::string_view value) {
    if (!has_value_ || value < least_bytes_) least_bytes_.assign(value);
    if (!has_value_ || value > greatest_bytes_) greatest_bytes_.assign(value);
    has_value_ = true;
  }

  /// False: no value makes the predicate true. A predicate of another domain may always.
  [[nodiscard]] bool MayMatch(const Predicate& predicate) const;

  [[nodiscard]] Domain domain() const { return domain_; }
  [[nodiscard]] bool has_null() const { return has_null_; }
  /// "[1, 9], NULL": for people.
  [[nodiscard]] std::string ToText() const;

  [[nodiscard]] std::string Encode() const;
  /// nullopt: bytes that Encode never gave.
  static std::optional<ValueRange> Decode(std::string_view bytes);

 private:
  /// Whether a value in the range (NaN aside) can be on that side of `bound`.
  template <typename T>
  [[nodiscard]] bool MayCompare(Predicate::Op op, const T& bound, const T& least, const T& greatest,
                                bool bounded) const;
  [[nodiscard]] bool MayHold(Predicate::Op op, const Value& value) const;

  Domain domain_;
  bool has_value_ = false;  ///< One that is neither NULL nor NaN.
  bool has_null_ = false;
  bool has_nan_ = false;
  int64_t least_ = 0;
  int64_t greatest_ = 0;
  double least_double_ = 0;
  double greatest_double_ = 0;
  std::string least_bytes_;
  std::string greatest_bytes_;
  bool greatest_is_open_ = false;  ///< Bytes without upper bound.
};

}  // namespace ariadne::rowgroup
