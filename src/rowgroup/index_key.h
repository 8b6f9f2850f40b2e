#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "rowgroup/file_identity.h"

namespace ariadne::rowgroup {

// What is indexed, in one canonical text: two targets are one exactly where their texts are equal.
// A name that a query uses never stands in it, only what the file itself says of its columns.

/// A column by the field id that its file gives it. `type`: of the values as they are read.
std::string FieldTarget(int32_t field_id, std::string_view type);
/// A column of a file without field ids by its path in the file, outermost first.
std::string ColumnTarget(std::span<const std::string> path, std::string_view type);
/// A constant of an expression. `text`: its value as text.
std::string ConstantTarget(std::string_view text, std::string_view type);
/// `function` of `arguments` (targets), giving `type`: a cast to DATE is not one to TIMESTAMP.
std::string FunctionTarget(std::string_view function, std::span<const std::string> arguments,
                           std::string_view type);

enum class Kind : uint8_t { kBloom = 0, kRange = 1 };
/// "bloom" or "range".
const char* ToString(Kind kind);

/// Which kinds are built.
struct Kinds {
  bool bloom = false;
  bool range = false;
  [[nodiscard]] bool any() const { return bloom || range; }
};

/// Names one index of one row group.
struct IndexKey {
  FileIdentity file;
  int32_t row_group = 0;  ///< Counted from 0, as in the footer.
  std::string target;
  Kind kind = Kind::kBloom;

  /// Different for different keys, whatever bytes their parts hold.
  [[nodiscard]] std::string Text() const;
};

}  // namespace ariadne::rowgroup
