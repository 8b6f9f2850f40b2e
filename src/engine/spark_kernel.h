#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include <arrow/array/array_base.h>
#include <arrow/array/array_binary.h>
#include <arrow/array/array_decimal.h>
#include <arrow/array/array_primitive.h>
#include <arrow/array/builder_binary.h>
#include <arrow/array/data.h>
#include <arrow/array/util.h>
#include <arrow/buffer_builder.h>
#include <arrow/result.h>
#include <arrow/type.h>
#include <arrow/util/decimal.h>

#include "ariadne/errors.h"
#include "engine/spark_node.h"

namespace ariadne::engine {

/// Failures of Arrow are those of memory and of columns past 2 GiB of text.
inline void Check(const arrow::Status& status) {
  if (!status.ok()) throw QueryError("An expression could not be evaluated: " + status.message());
}
template <typename T>
T Checked(arrow::Result<T> result) {
  Check(result.status());
  return std::move(result).ValueUnsafe();
}

/// Reads a column as C++ values: integers of their width (dates int32_t, timestamps int64_t),
/// bool, float, double, arrow::Decimal128, std::string_view.
template <typename T>
class Values {
 public:
  explicit Values(const arrow::Array& array)
      : array_(array), values_(array.data()->GetValues<T>(1)) {}
  [[nodiscard]] bool IsNull(int64_t row) const { return array_.IsNull(row); }
  T operator[](int64_t row) const { return values_[row]; }

 private:
  const arrow::Array& array_;
  const T* values_;
};

template <>
class Values<bool> {
 public:
  explicit Values(const arrow::Array& array)
      : array_(static_cast<const arrow::BooleanArray&>(array)) {}
  [[nodiscard]] bool IsNull(int64_t row) const { return array_.IsNull(row); }
  bool operator[](int64_t row) const { return array_.Value(row); }

 private:
  const arrow::BooleanArray& array_;
};

template <>
class Values<std::string_view> {
 public:
  explicit Values(const arrow::Array& array)
      : array_(static_cast<const arrow::BinaryArray&>(array)) {}
  [[nodiscard]] bool IsNull(int64_t row) const { return array_.IsNull(row); }
  std::string_view operator[](int64_t row) const { return array_.GetView(row); }

 private:
  const arrow::BinaryArray& array_;
};

template <>
class Values<arrow::Decimal128> {
 public:
  explicit Values(const arrow::Array& array)
      : array_(static_cast<const arrow::Decimal128Array&>(array)) {}
  [[nodiscard]] bool IsNull(int64_t row) const { return array_.IsNull(row); }
  arrow::Decimal128 operator[](int64_t row) const {
    return arrow::Decimal128(array_.GetValue(row));
  }

 private:
  const arrow::Decimal128Array& array_;
};

/// Writes a column of C++ values.
template <typename T>
class Writer {
 public:
  explicit Writer(int64_t rows) {
    Check(values_.Reserve(rows));
    Check(valid_.Reserve(rows));
  }
  void Append(const T& value) {
    if constexpr (std::is_same_v<T, arrow::Decimal128>) {
      std::array<uint8_t, 16> bytes;
      value.ToBytes(bytes.data());
      Fixed stored;
      std::memcpy(&stored, bytes.data(), sizeof(stored));
      values_.UnsafeAppend(stored);
    } else {
      values_.UnsafeAppend(value);
    }
    valid_.UnsafeAppend(true);
  }
  void AppendNull() {
    values_.UnsafeAppend(Fixed{});
    valid_.UnsafeAppend(false);
  }
  std::shared_ptr<arrow::Array> Finish(const SparkType& type) {
    const int64_t rows = valid_.length();
    const int64_t nulls = valid_.false_count();
    auto valid = Checked(valid_.Finish());
    auto values = Checked(values_.Finish());
    if (nulls == 0) valid = nullptr;
    return arrow::MakeArray(
        arrow::ArrayData::Make(type, rows, {std::move(valid), std::move(values)}, nulls));
  }

 private:
  struct Sixteen {
    uint64_t words[2];
  };
  using Fixed = std::conditional_t<std::is_same_v<T, arrow::Decimal128>, Sixteen, T>;
  arrow::TypedBufferBuilder<Fixed> values_;
  arrow::TypedBufferBuilder<bool> valid_;
};

template <>
class Writer<std::string> {
 public:
  explicit Writer(int64_t rows) { Check(builder_.Reserve(rows)); }
  void Append(std::string_view value) { Check(builder_.Append(value)); }
  void AppendNull() { Check(builder_.AppendNull()); }
  std::shared_ptr<arrow::Array> Finish(const SparkType& type) {
    std::shared_ptr<arrow::Array> array;
    Check(builder_.Finish(&array));
    if (type->id() == arrow::Type::BINARY) return array;
    auto data = array->data()->Copy();
    data->type = type;
    return arrow::MakeArray(data);
  }

 private:
  arrow::BinaryBuilder builder_;
};
template <>
class Writer<std::string_view> : public Writer<std::string> {
 public:
  using Writer<std::string>::Writer;
};

template <typename T>
struct Unwrapped {
  using Type = T;
  static constexpr bool kOptional = false;
};
template <typename T>
struct Unwrapped<std::optional<T>> {
  using Type = T;
  static constexpr bool kOptional = true;
};

/// A kernel that calls `function(A...)` row by row. A row with NULL in any argument is NULL, and so
/// is one for which the function returns an empty optional.
template <typename... A, typename F>
SparkKernel RowKernel(SparkType type, F function) {
  using Result = Unwrapped<std::invoke_result_t<F, A...>>;
  return [type = std::move(type), function = std::move(function)](const SparkArrays& arguments,
                                                                  int64_t rows) {
    Writer<typename Result::Type> writer(rows);
    const auto run = [&]<size_t... I>(std::index_sequence<I...>) {
      const std::tuple<Values<A>...> in{Values<A>(*arguments[I])...};
      for (int64_t row = 0; row < rows; ++row) {
        if ((std::get<I>(in).IsNull(row) || ...)) {
          writer.AppendNull();
          continue;
        }
        auto result = function(std::get<I>(in)[row]...);
        if constexpr (Result::kOptional) {
          if (result) {
            writer.Append(*result);
          } else {
            writer.AppendNull();
          }
        } else {
          writer.Append(result);
        }
      }
    };
    run(std::index_sequence_for<A...>());
    return writer.Finish(type);
  };
}

}  // namespace ariadne::engine
