#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/array/builder_binary.h>
#include <arrow/array/builder_nested.h>
#include <arrow/type.h>

#include "engine/spark_coercion.h"
#include "engine/spark_functions.h"
#include "engine/spark_java_regex.h"
#include "engine/spark_kernel.h"
#include "engine/spark_utf8.h"

namespace ariadne::engine {

namespace {

// The empty pattern: one part a character, and what is past the limit is dropped.
std::vector<std::string> Characters(std::string_view text, int limit) {
  std::vector<std::string> parts;
  if (text.empty()) return {""};
  for (size_t at = 0; at < text.size();) {
    if (limit > 0 && parts.size() == static_cast<size_t>(limit)) break;
    const size_t length = std::min(Utf8Length(text[at]), text.size() - at);
    parts.emplace_back(text.substr(at, length));
    at += length;
  }
  return parts;
}

SparkNodePtr BindSplit(const SparkNodes& arguments) {
  const auto text = Coerce(arguments[0], arrow::utf8(), "'split'");
  const auto pattern = Coerce(arguments[1], arrow::utf8(), "'split'");
  const auto limit =
      arguments.size() > 2 ? Coerce(arguments[2], arrow::int32(), "'split'") : IntegerNode(-1);
  const auto type = arrow::list(arrow::field("element", arrow::utf8()));
  if (pattern->constant == nullptr) {
    throw UnsupportedSpark("'split' takes a constant regular expression");
  }
  std::string constant;
  if (!ConstantText(*pattern, &constant)) return NullNode(type);
  const auto regex = constant.empty() ? nullptr : std::make_shared<const JavaRegex>(constant);
  return KernelNode(type, {text, limit}, [regex, type](const SparkArrays& in, int64_t rows) {
    const Values<std::string_view> texts(*in[0]);
    const Values<int32_t> limits(*in[1]);
    auto strings = std::make_shared<arrow::StringBuilder>();
    arrow::ListBuilder builder(arrow::default_memory_pool(), strings, type);
    for (int64_t row = 0; row < rows; ++row) {
      if (texts.IsNull(row) || limits.IsNull(row)) {
        Check(builder.AppendNull());
        continue;
      }
      Check(builder.Append());
      const auto parts = regex == nullptr ? Characters(texts[row], limits[row])
                                          : regex->Split(texts[row], limits[row]);
      for (const auto& part : parts) Check(strings->Append(part));
    }
    std::shared_ptr<arrow::Array> out;
    Check(builder.Finish(&out));
    return out;
  });
}

}  // namespace

void AddSplit(SparkFunctions& functions) { functions["split"] = {2, 3, BindSplit}; }

}  // namespace ariadne::engine
