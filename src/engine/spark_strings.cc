#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <arrow/array/array_nested.h>
#include <arrow/array/builder_base.h>
#include <arrow/array/builder_nested.h>
#include <arrow/type.h>

#include "engine/spark_cast.h"
#include "engine/spark_coercion.h"
#include "engine/spark_functions.h"
#include "engine/spark_kernel.h"
#include "engine/spark_letter_case.h"
#include "engine/spark_utf8.h"

namespace ariadne::engine {

namespace {

using std::string_view;

SparkNodePtr AsString(const SparkNodePtr& node, const std::string& function) {
  return Coerce(node, arrow::utf8(), "'" + function + "'");
}
SparkNodePtr AsInt(const SparkNodePtr& node, const std::string& function) {
  return Coerce(node, arrow::int32(), "'" + function + "'");
}
SparkNodePtr AsText(const SparkNodePtr& node, const std::string& function) {
  return CoerceToOneOf(node, {arrow::utf8(), arrow::binary()}, "'" + function + "'");
}

// Characters [start, end) of a text, or bytes of binary.
string_view Slice(string_view text, int64_t start, int64_t end, bool bytes) {
  const int64_t from = std::max<int64_t>(start, 0);
  if (end <= from) return {};
  if (bytes) {
    const auto size = static_cast<int64_t>(text.size());
    if (from >= size) return {};
    return text.substr(from, std::min(end, size) - from);
  }
  const string_view rest = text.substr(ByteOfCharacter(text, from));
  return rest.substr(0, ByteOfCharacter(rest, end - from));
}

// Places count from 1, negative ones from the end; 0 is taken for 1. What lies before the first
// character counts, too: substring('abc', -5, 3) is 'a'.
string_view Substring(string_view text, int32_t place, int32_t length, bool bytes) {
  const int64_t size = bytes ? static_cast<int64_t>(text.size()) : CountCharacters(text);
  const int64_t start = place > 0 ? place - 1 : place < 0 ? size + place : 0;
  // Java adds in 32 bits: where the sum would overflow the text goes to its end.
  const int64_t sum = start + length;
  const int64_t end = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
  return Slice(text, start, end, bytes);
}

SparkNodePtr SubstringNode(const SparkNodePtr& text, const SparkNodePtr& place,
                           const SparkNodePtr& length) {
  const bool bytes = IsBinary(text->type);
  return KernelNode(text->type, {text, place, length},
                    RowKernel<string_view, int32_t, int32_t>(
                        text->type, [bytes](string_view s, int32_t p, int32_t n) {
                          return Substring(s, p, n, bytes);
                        }));
}

SparkNodePtr BindSubstring(const SparkNodes& arguments) {
  const auto length =
      arguments.size() > 2 ? AsInt(arguments[2], "substring") : IntegerNode(INT32_MAX);
  return SubstringNode(AsText(arguments[0], "substring"), AsInt(arguments[1], "substring"), length);
}

SparkNodePtr BindLeft(const SparkNodes& arguments) {
  return SubstringNode(AsText(arguments[0], "left"), IntegerNode(1), AsInt(arguments[1], "left"));
}

SparkNodePtr BindRight(const SparkNodes& arguments) {
  const auto& type = arrow::utf8();
  return KernelNode(type, {AsString(arguments[0], "right"), AsInt(arguments[1], "right")},
                    RowKernel<string_view, int32_t>(type, [](string_view s, int32_t n) {
                      if (n <= 0) return string_view();
                      return Substring(s, -n, INT32_MAX, false);
                    }));
}

SparkNodePtr BindUpper(const SparkNodes& arguments) {
  return KernelNode(arrow::utf8(), {AsString(arguments[0], "upper")},
                    RowKernel<string_view>(arrow::utf8(), UpperCase));
}
SparkNodePtr BindLower(const SparkNodes& arguments) {
  return KernelNode(arrow::utf8(), {AsString(arguments[0], "lower")},
                    RowKernel<string_view>(arrow::utf8(), LowerCase));
}

// Spaces only, no tabs or line ends.
SparkNodePtr BindTrim(const SparkNodes& arguments) {
  return KernelNode(arrow::utf8(), {AsString(arguments[0], "trim")},
                    RowKernel<string_view>(arrow::utf8(), [](string_view s) {
                      const size_t first = s.find_first_not_of(' ');
                      if (first == string_view::npos) return string_view();
                      return s.substr(first, s.find_last_not_of(' ') - first + 1);
                    }));
}

SparkNodePtr BindLength(const SparkNodes& arguments) {
  const auto text = AsText(arguments[0], "length");
  const bool bytes = IsBinary(text->type);
  return KernelNode(
      arrow::int32(), {text}, RowKernel<string_view>(arrow::int32(), [bytes](string_view s) {
        return static_cast<int32_t>(bytes ? static_cast<int64_t>(s.size()) : CountCharacters(s));
      }));
}

bool IsList(const SparkType& type) { return type->id() == arrow::Type::LIST; }

// The elements of all arrays, one array after the other; NULL where one of them is.
SparkNodePtr ConcatArrays(const SparkNodes& arguments) {
  const SparkType& type = arguments[0]->type;
  for (const auto& argument : arguments) {
    if (!SameType(argument->type, type)) {
      throw UnsupportedSpark("'concat' takes arrays of one type, not " + TypeName(type) + " and " +
                             TypeName(argument->type));
    }
  }
  return KernelNode(type, arguments, [type](const SparkArrays& in, int64_t rows) {
    std::unique_ptr<arrow::ArrayBuilder> made;
    Check(arrow::MakeBuilder(arrow::default_memory_pool(), type, &made));
    auto& builder = static_cast<arrow::ListBuilder&>(*made);
    for (int64_t row = 0; row < rows; ++row) {
      const auto is_null = [row](const auto& array) { return array->IsNull(row); };
      if (std::any_of(in.begin(), in.end(), is_null)) {
        Check(builder.AppendNull());
        continue;
      }
      Check(builder.Append());
      for (const auto& array : in) {
        const auto& lists = static_cast<const arrow::ListArray&>(*array);
        Check(builder.value_builder()->AppendArraySlice(
            *lists.values()->data(), lists.value_offset(row), lists.value_length(row)));
      }
    }
    std::shared_ptr<arrow::Array> out;
    Check(builder.Finish(&out));
    return out;
  });
}

SparkNodePtr BindConcat(const SparkNodes& arguments) {
  if (std::any_of(arguments.begin(), arguments.end(),
                  [](const auto& node) { return IsList(node->type); })) {
    return ConcatArrays(arguments);
  }
  const bool binary =
      !arguments.empty() && std::all_of(arguments.begin(), arguments.end(),
                                        [](const auto& node) { return IsBinary(node->type); });
  const SparkType type = binary ? arrow::binary() : arrow::utf8();
  SparkNodes texts;
  for (const auto& argument : arguments) texts.push_back(Coerce(argument, type, "'concat'"));
  return KernelNode(type, std::move(texts), [type](const SparkArrays& in, int64_t rows) {
    Writer<std::string> writer(rows);
    std::string joined;
    for (int64_t row = 0; row < rows; ++row) {
      joined.clear();
      bool null = false;
      for (size_t i = 0; i < in.size() && !null; ++i) {
        null = in[i]->IsNull(row);
        if (!null) joined += Values<string_view>(*in[i])[row];
      }
      if (null) {
        writer.AppendNull();
      } else {
        writer.Append(joined);
      }
    }
    return writer.Finish(type);
  });
}

bool IsStringList(const SparkType& type) {
  return IsList(type) && IsString(type->field(0)->type());
}

// Joins texts and the elements of arrays, NULL left out.
SparkNodePtr BindConcatWs(const SparkNodes& arguments) {
  SparkNodes texts;
  for (const auto& argument : arguments) {
    const bool list = !texts.empty() && IsStringList(argument->type);
    texts.push_back(list ? argument : AsString(argument, "concat_ws"));
  }
  return KernelNode(arrow::utf8(), std::move(texts), [](const SparkArrays& in, int64_t rows) {
    const Values<string_view> separators(*in[0]);
    Writer<std::string> writer(rows);
    std::string joined;
    for (int64_t row = 0; row < rows; ++row) {
      if (separators.IsNull(row)) {
        writer.AppendNull();
        continue;
      }
      joined.clear();
      bool first = true;
      const auto add = [&](string_view text) {
        if (!first) joined += separators[row];
        joined += text;
        first = false;
      };
      for (size_t i = 1; i < in.size(); ++i) {
        if (in[i]->IsNull(row)) continue;
        if (in[i]->type_id() != arrow::Type::LIST) {
          add(Values<string_view>(*in[i])[row]);
          continue;
        }
        const auto& lists = static_cast<const arrow::ListArray&>(*in[i]);
        const Values<string_view> elements(*lists.values());
        for (int64_t at = lists.value_offset(row); at < lists.value_offset(row + 1); ++at) {
          if (!elements.IsNull(at)) add(elements[at]);
        }
      }
      writer.Append(joined);
    }
    return writer.Finish(arrow::utf8());
  });
}

std::string Replace(string_view text, string_view search, string_view with) {
  if (search.empty()) return std::string(text);
  std::string out;
  size_t at = 0;
  for (size_t hit = text.find(search); hit != string_view::npos; hit = text.find(search, at)) {
    out += text.substr(at, hit - at);
    out += with;
    at = hit + search.size();
  }
  out += text.substr(at);
  return out;
}

SparkNodePtr BindReplace(const SparkNodes& arguments) {
  const auto with = arguments.size() > 2 ? AsString(arguments[2], "replace") : StringNode("");
  return KernelNode(arrow::utf8(),
                    {AsString(arguments[0], "replace"), AsString(arguments[1], "replace"), with},
                    RowKernel<string_view, string_view, string_view>(arrow::utf8(), Replace));
}

template <bool left>
std::string Pad(string_view text, int32_t length, string_view pad) {
  const int64_t have = CountCharacters(text);
  if (length <= have || pad.empty()) return std::string(Slice(text, 0, length, false));
  std::string padding;
  const int64_t missing = length - have;
  const int64_t characters = CountCharacters(pad);
  for (int64_t i = 0; i < missing / characters; ++i) padding += pad;
  padding += Slice(pad, 0, missing % characters, false);
  return left ? padding + std::string(text) : std::string(text) + padding;
}

template <bool left>
SparkNodePtr BindPad(const SparkNodes& arguments) {
  const std::string name = left ? "lpad" : "rpad";
  if (IsBinary(arguments[0]->type) && (arguments.size() < 3 || IsBinary(arguments[2]->type))) {
    throw UnsupportedSpark("'" + name + "' of binary is not supported");
  }
  const auto pad = arguments.size() > 2 ? AsString(arguments[2], name) : StringNode(" ");
  return KernelNode(arrow::utf8(), {AsString(arguments[0], name), AsInt(arguments[1], name), pad},
                    RowKernel<string_view, int32_t, string_view>(arrow::utf8(), Pad<left>));
}

}  // namespace

void AddStrings(SparkFunctions& functions) {
  functions["substring"] = {2, 3, BindSubstring};
  functions["substr"] = {2, 3, BindSubstring};
  functions["left"] = {2, 2, BindLeft};
  functions["right"] = {2, 2, BindRight};
  functions["upper"] = {1, 1, BindUpper};
  functions["lower"] = {1, 1, BindLower};
  functions["trim"] = {1, 1, BindTrim};
  functions["length"] = {1, 1, BindLength};
  functions["concat"] = {0, SparkFunction::kAnyNumber, BindConcat};
  functions["||"] = {2, 2, BindConcat};
  functions["concat_ws"] = {1, SparkFunction::kAnyNumber, BindConcatWs};
  functions["replace"] = {2, 3, BindReplace};
  functions["lpad"] = {2, 3, BindPad<true>};
  functions["rpad"] = {2, 3, BindPad<false>};
}

}  // namespace ariadne::engine
