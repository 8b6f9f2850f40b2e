#include "cli/cells.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>

#include <arrow/array.h>
#include <arrow/scalar.h>
#include <arrow/type.h>
#include <arrow/util/base64.h>
#include <nlohmann/json.hpp>

#include "engine/value_text.h"

namespace ariadne::cli {
namespace {

enum class Style { kText, kJson };

void AppendQuoted(std::string_view text, std::string& out) {
  out += nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

template <typename T>
void AppendNumber(T value, std::string& out) {
  std::array<char, 64> text;
  const auto result = std::to_chars(text.data(), text.data() + text.size(), value);
  out.append(text.data(), result.ptr);
}

template <typename T>
void AppendFloat(T value, Style style, std::string& out) {
  if (std::isfinite(value)) {
    const size_t start = out.size();
    AppendNumber(value, out);
    // A float stays one to the eye, and to JSON readers that tell 1 from 1.0.
    if (out.find_first_of(".e", start) == std::string::npos) out += ".0";
    return;
  }
  const std::string_view name = std::isnan(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity";
  if (style == Style::kJson) {
    AppendQuoted(name, out);
  } else {
    out += name;
  }
}

void AppendWord(const std::string& text, Style style, std::string& out) {
  if (style == Style::kJson) {
    AppendQuoted(text, out);
  } else {
    out += text;
  }
}

/// As output files have it; people read a blank between day and time.
std::string FileText(const arrow::Array& array, int64_t row, Style style) {
  std::string text;
  engine::AppendText(array, row, text);
  if (array.type_id() == arrow::Type::TIMESTAMP && style == Style::kText) {
    if (const auto t = text.find('T'); t != std::string::npos) text[t] = ' ';
  }
  return text;
}

std::string Hex(std::string_view bytes) {
  static constexpr char kDigits[] = "0123456789ABCDEF";
  std::string text = "\\x";
  for (const char byte : bytes) {
    text += kDigits[static_cast<unsigned char>(byte) >> 4U];
    text += kDigits[static_cast<unsigned char>(byte) & 0xFU];
  }
  return text;
}

void AppendBinary(std::string_view bytes, Style style, std::string& out) {
  AppendWord(style == Style::kJson ? arrow::util::base64_encode(bytes) : Hex(bytes), style, out);
}

void Append(const arrow::Array& array, int64_t row, Style style, std::string& out);

void AppendItems(const arrow::Array& values, int64_t begin, int64_t end, Style style,
                 std::string& out) {
  out += '[';
  for (int64_t i = begin; i < end; ++i) {
    if (i > begin) out += style == Style::kJson ? "," : ", ";
    Append(values, i, style, out);
  }
  out += ']';
}

void AppendStruct(const arrow::StructArray& array, int64_t row, Style style, std::string& out) {
  out += '{';
  for (int i = 0; i < array.num_fields(); ++i) {
    if (i > 0) out += style == Style::kJson ? "," : ", ";
    AppendWord(array.type()->field(i)->name(), style, out);
    out += style == Style::kJson ? ":" : ": ";
    Append(*array.field(i), row, style, out);
  }
  out += '}';
}

void AppendMap(const arrow::MapArray& array, int64_t row, Style style, std::string& out) {
  // Pairs, since keys need not be strings.
  const bool json = style == Style::kJson;
  out += json ? '[' : '{';
  for (int64_t i = array.value_offset(row); i < array.value_offset(row) + array.value_length(row);
       ++i) {
    if (i > array.value_offset(row)) out += json ? "," : ", ";
    if (json) out += '[';
    Append(*array.keys(), i, style, out);
    out += json ? "," : ": ";
    Append(*array.items(), i, style, out);
    if (json) out += ']';
  }
  out += json ? ']' : '}';
}

void Append(const arrow::Array& array, int64_t row, Style style, std::string& out) {
  if (array.IsNull(row)) {
    out += style == Style::kJson ? "null" : "NULL";
    return;
  }
  using arrow::Type;
  switch (array.type_id()) {
    case Type::BOOL:
      out += static_cast<const arrow::BooleanArray&>(array).Value(row) ? "true" : "false";
      return;
    case Type::INT8:
      return AppendNumber(int{static_cast<const arrow::Int8Array&>(array).Value(row)}, out);
    case Type::INT16:
      return AppendNumber(static_cast<const arrow::Int16Array&>(array).Value(row), out);
    case Type::INT32:
      return AppendNumber(static_cast<const arrow::Int32Array&>(array).Value(row), out);
    case Type::INT64:
      return AppendNumber(static_cast<const arrow::Int64Array&>(array).Value(row), out);
    case Type::UINT8:
      return AppendNumber(unsigned{static_cast<const arrow::UInt8Array&>(array).Value(row)}, out);
    case Type::UINT16:
      return AppendNumber(static_cast<const arrow::UInt16Array&>(array).Value(row), out);
    case Type::UINT32:
      return AppendNumber(static_cast<const arrow::UInt32Array&>(array).Value(row), out);
    case Type::UINT64:
      return AppendNumber(static_cast<const arrow::UInt64Array&>(array).Value(row), out);
    case Type::FLOAT:
      return AppendFloat(static_cast<const arrow::FloatArray&>(array).Value(row), style, out);
    case Type::DOUBLE:
      return AppendFloat(static_cast<const arrow::DoubleArray&>(array).Value(row), style, out);
    case Type::STRING:
      return AppendWord(static_cast<const arrow::StringArray&>(array).GetString(row), style, out);
    case Type::LARGE_STRING:
      return AppendWord(static_cast<const arrow::LargeStringArray&>(array).GetString(row), style,
                        out);
    case Type::STRING_VIEW:
      return AppendWord(std::string(static_cast<const arrow::StringViewArray&>(array).GetView(row)),
                        style, out);
    case Type::BINARY:
      return AppendBinary(static_cast<const arrow::BinaryArray&>(array).GetView(row), style, out);
    case Type::LARGE_BINARY:
      return AppendBinary(static_cast<const arrow::LargeBinaryArray&>(array).GetView(row), style,
                          out);
    case Type::FIXED_SIZE_BINARY:
      return AppendBinary(static_cast<const arrow::FixedSizeBinaryArray&>(array).GetView(row),
                          style, out);
    case Type::DECIMAL128:
    case Type::DECIMAL256:
    case Type::DATE32:
    case Type::TIME64:
    case Type::TIMESTAMP:
      return AppendWord(FileText(array, row, style), style, out);
    case Type::LIST: {
      const auto& list = static_cast<const arrow::ListArray&>(array);
      return AppendItems(*list.values(), list.value_offset(row),
                         list.value_offset(row) + list.value_length(row), style, out);
    }
    case Type::LARGE_LIST: {
      const auto& list = static_cast<const arrow::LargeListArray&>(array);
      return AppendItems(*list.values(), list.value_offset(row),
                         list.value_offset(row) + list.value_length(row), style, out);
    }
    case Type::STRUCT:
      return AppendStruct(static_cast<const arrow::StructArray&>(array), row, style, out);
    case Type::MAP:
      return AppendMap(static_cast<const arrow::MapArray&>(array), row, style, out);
    default: {
      // Types that no lake column has; the engine may still compute some.
      const auto scalar = array.GetScalar(row);
      return AppendWord(scalar.ok() ? (*scalar)->ToString() : "?", style, out);
    }
  }
}

}  // namespace

std::string CellText(const arrow::Array& array, int64_t row) {
  std::string text;
  Append(array, row, Style::kText, text);
  return text;
}

void AppendCellJson(const arrow::Array& array, int64_t row, std::string& out) {
  Append(array, row, Style::kJson, out);
}

bool IsNumber(const arrow::DataType& type) {
  return arrow::is_numeric(type.id()) || arrow::is_decimal(type.id());
}

}  // namespace ariadne::cli
