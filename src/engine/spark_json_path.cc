#include "engine/spark_json_path.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <utility>

#include <arrow/type.h>

#include "engine/spark_cast.h"
#include "engine/spark_coercion.h"
#include "engine/spark_functions.h"
#include "engine/spark_json_reader.h"
#include "engine/spark_kernel.h"
#include "engine/spark_utf8.h"
#include "engine/spark_value_text.h"

namespace ariadne::engine {

namespace {

bool IsBlank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// Half of a pair, kept in three bytes.
bool IsSurrogate(std::string_view bytes) {
  return bytes.size() > 1 && bytes[0] == '\xED' && static_cast<unsigned char>(bytes[1]) >= 0xA0;
}

// A surrogate on its own cannot be written as UTF-8.
void CheckWritable(std::string_view text) {
  for (size_t at = 0; at + 1 < text.size(); ++at) {
    if (IsSurrogate(text.substr(at, 2))) throw MalformedJson();
  }
}

// Writes JSON with the commas that its values need.
class JsonWriter {
 public:
  // What Spark writes as bytes has characters past U+FFFF, and surrogates alone, escaped; a buffer
  // of its own has them as they are.
  enum class Target { kBytes, kBuffer };
  explicit JsonWriter(Target target) : escape_(target == Target::kBytes) {}

  void StartArray() {
    BeforeValue();
    out_ += '[';
    values_.push_back(0);
  }
  void EndArray() {
    out_ += ']';
    values_.pop_back();
  }
  /// JSON that is written already.
  void RawValue(std::string_view json) {
    BeforeValue();
    if (escape_) CheckWritable(json);
    out_ += json;
  }
  /// Text, outside of what is JSON.
  void Raw(std::string_view text) {
    CheckWritable(text);
    out_ += text;
  }
  void String(std::string_view text) {
    BeforeValue();
    Quoted(text);
  }

  // The reader's value, with all that is in it; the reader stands at its last token then.
  void Copy(JsonReader& reader) {
    switch (reader.token()) {
      case JsonToken::kNone:
        throw MalformedJson();
      case JsonToken::kStartArray:
      case JsonToken::kStartObject:
        return CopyNested(reader);
      default:
        return CopyScalar(reader);
    }
  }

  [[nodiscard]] const std::string& out() const { return out_; }

 private:
  void BeforeValue() {
    if (values_.back()++ > 0 && !after_name_) out_ += values_.size() > 1 ? ',' : ' ';
    after_name_ = false;
  }

  void CopyNested(JsonReader& reader) {
    size_t depth = 0;
    do {
      switch (reader.token()) {
        case JsonToken::kStartArray:
        case JsonToken::kStartObject:
          BeforeValue();
          out_ += reader.token() == JsonToken::kStartArray ? '[' : '{';
          values_.push_back(0);
          ++depth;
          break;
        case JsonToken::kEndArray:
        case JsonToken::kEndObject:
          out_ += reader.token() == JsonToken::kEndArray ? ']' : '}';
          values_.pop_back();
          --depth;
          break;
        case JsonToken::kName:
          BeforeValue();
          Quoted(reader.value());
          out_ += ':';
          after_name_ = true;
          break;
        default:
          CopyScalar(reader);
      }
      if (depth > 0) reader.Next();
    } while (depth > 0);
  }

  void CopyScalar(const JsonReader& reader) {
    switch (reader.token()) {
      case JsonToken::kString:
        return String(reader.value());
      case JsonToken::kInteger:
        return RawValue(reader.value() == "-0" ? "0" : reader.value());
      case JsonToken::kFloat: {
        const double value = std::strtod(reader.value().c_str(), nullptr);
        if (!std::isfinite(value)) return String(DoubleText(value));
        return RawValue(DoubleText(value));
      }
      case JsonToken::kTrue:
        return RawValue("true");
      case JsonToken::kFalse:
        return RawValue("false");
      default:
        return RawValue("null");
    }
  }

  void Unit(uint32_t unit) {
    constexpr char kHex[] = "0123456789ABCDEF";
    out_ += "\\u";
    for (int shift = 12; shift >= 0; shift -= 4) out_ += kHex[unit >> shift & 15];
  }

  void Quoted(std::string_view text) {
    out_ += '"';
    for (size_t at = 0; at < text.size();) {
      const size_t length = std::min(Utf8Length(text[at]), text.size() - at);
      if (length == 1) {
        Ascii(text[at]);
      } else {
        Character(text.substr(at, length));
      }
      at += length;
    }
    out_ += '"';
  }

  void Character(std::string_view bytes) {
    const auto bits = [&bytes](size_t i) { return static_cast<uint32_t>(bytes[i] & 0x3F); };
    if (escape_ && bytes.size() == 4) {
      const uint32_t code =
          ((bytes[0] & 7U) << 18 | bits(1) << 12 | bits(2) << 6 | bits(3)) - 0x10000;
      Unit(0xD800 + (code >> 10));
      Unit(0xDC00 + (code & 0x3FF));
    } else if (escape_ && IsSurrogate(bytes)) {
      Unit((bytes[0] & 15U) << 12 | bits(1) << 6 | bits(2));
    } else {
      out_ += bytes;
    }
  }

  void Ascii(char c) {
    constexpr std::string_view kShort = "\b\t\n\f\r";
    constexpr std::string_view kLetters = "btnfr";
    const size_t known = kShort.find(c);
    if (c == '"' || c == '\\') {
      out_ += '\\';
      out_ += c;
    } else if (known != std::string_view::npos) {
      out_ += '\\';
      out_ += kLetters[known];
    } else if (static_cast<unsigned char>(c) < 0x20) {
      Unit(static_cast<unsigned char>(c));
    } else {
      out_ += c;
    }
  }

  bool escape_;
  std::string out_;
  // Values so far in each array or object that is open; the first is the root.
  std::vector<int64_t> values_ = {0};
  bool after_name_ = false;
};

}  // namespace

std::optional<JsonPath> JsonPath::Parse(std::string_view text) {
  if (text.empty() || text[0] != '$') return {};
  JsonPath path;
  size_t at = 1;
  const auto skip = [&text](size_t from) {
    while (from < text.size() && IsBlank(text[from])) ++from;
    return from;
  };
  const auto starts = [&text](size_t from, std::string_view what) {
    return text.substr(std::min(from, text.size()), what.size()) == what;
  };
  using Kind = Step::Kind;
  while (true) {
    const size_t here = skip(at);
    if (here == text.size()) return path;
    if (starts(here, ".*") || starts(here, "['*']")) {
      path.steps_.push_back({Kind::kWildcard, {}, 0});
      at = here + (text[here] == '.' ? 2 : 5);
    } else if (text[at] == '.') {
      const size_t start = skip(at + 1);
      const size_t end = std::min(text.find_first_of(".[", start), text.size());
      if (end == start) return {};
      path.steps_.push_back({Kind::kKey, {}, 0});
      path.steps_.push_back({Kind::kNamed, std::string(text.substr(start, end - start)), 0});
      at = end;
    } else if (starts(here, "['")) {
      const size_t start = skip(here + 2);
      const size_t end = std::min(text.find_first_of("'?", start), text.size());
      const size_t close = skip(end);
      if (end == start || !starts(close, "']")) return {};
      path.steps_.push_back({Kind::kKey, {}, 0});
      path.steps_.push_back({Kind::kNamed, std::string(text.substr(start, end - start)), 0});
      at = close + 2;
    } else if (text[at] == '[') {
      path.steps_.push_back({Kind::kSubscript, {}, 0});
      if (starts(at + 1, "*]")) {
        path.steps_.push_back({Kind::kWildcard, {}, 0});
        at += 3;
        continue;
      }
      const size_t start = skip(at + 1);
      long index = 0;
      const auto [end, error] =
          std::from_chars(text.data() + start, text.data() + text.size(), index);
      const auto after = static_cast<size_t>(end - text.data());
      if (error != std::errc() || text[start] == '-' || !starts(after, "]")) return {};
      path.steps_.push_back({Kind::kIndex, {}, index});
      at = after + 1;
    } else {
      return {};
    }
  }
}

/// Follows the path as Hive does, whose rules for `[*]` Spark keeps: see each case.
class JsonPath::Evaluation {
 public:
  Evaluation(const std::vector<Step>& steps, std::string_view json)
      : steps_(steps), reader_(json) {}

  std::optional<std::string> Run() {
    reader_.Next();
    JsonWriter writer(JsonWriter::Target::kBytes);
    if (!Follow(0, Style::kRaw, writer)) return {};
    return writer.out();
  }

 private:
  using Kind = Step::Kind;
  // Raw: a string goes without quotes. Quoted: with them. Flatten: quoted, and what an array holds
  // goes to the array around it.
  enum class Style { kRaw, kQuoted, kFlatten };

  [[nodiscard]] bool Is(size_t step, Kind kind) const {
    return step < steps_.size() && steps_[step].kind == kind;
  }

  // True if something was written for the value at which the reader stands.
  bool Follow(size_t step, Style style, JsonWriter& writer) {
    if (step == steps_.size()) return Write(style, writer);
    const JsonToken token = reader_.token();
    if (token == JsonToken::kStartObject && Is(step, Kind::kKey)) {
      bool found = false;
      while (reader_.Next() != JsonToken::kEndObject) {
        if (found) {
          reader_.SkipChildren();
        } else {
          found = Follow(step + 1, style, writer);
        }
      }
      return found;
    }
    if (token == JsonToken::kStartArray && Is(step, Kind::kSubscript)) {
      if (Is(step + 1, Kind::kWildcard)) return FollowAll(step, style, writer);
      if (Is(step + 1, Kind::kIndex)) return FollowOne(step, style, writer);
    }
    if (token == JsonToken::kName && Is(step, Kind::kNamed) &&
        reader_.value() == steps_[step].name) {
      if (reader_.Next() == JsonToken::kNull) return false;
      return Follow(step + 1, style, writer);
    }
    if (token == JsonToken::kName && Is(step, Kind::kWildcard)) {
      reader_.Next();
      return Follow(step + 1, style, writer);
    }
    reader_.SkipChildren();
    return false;
  }

  bool Write(Style style, JsonWriter& writer) {
    if (reader_.token() == JsonToken::kString && style == Style::kRaw) {
      writer.Raw(reader_.value());
      return true;
    }
    if (reader_.token() == JsonToken::kStartArray && style == Style::kFlatten) {
      bool any = false;
      while (reader_.Next() != JsonToken::kEndArray) any |= Write(style, writer);
      return any;
    }
    writer.Copy(reader_);
    return true;
  }

  bool Each(size_t step, Style style, JsonWriter& writer) {
    bool any = false;
    writer.StartArray();
    while (reader_.Next() != JsonToken::kEndArray) any |= Follow(step, style, writer);
    writer.EndArray();
    return any;
  }

  // [*]
  bool FollowAll(size_t step, Style style, JsonWriter& writer) {
    if (Is(step + 2, Kind::kSubscript) && Is(step + 3, Kind::kWildcard)) {
      return Each(step + 4, Style::kFlatten, writer);
    }
    if (style == Style::kQuoted) return Each(step + 2, Style::kQuoted, writer);
    // One match goes without the array around it.
    const Style inner = style == Style::kRaw ? Style::kQuoted : Style::kFlatten;
    JsonWriter buffer(JsonWriter::Target::kBuffer);
    int64_t matches = 0;
    buffer.StartArray();
    while (reader_.Next() != JsonToken::kEndArray) {
      matches += Follow(step + 2, inner, buffer) ? 1 : 0;
    }
    buffer.EndArray();
    const std::string_view json = buffer.out();
    if (matches > 1) writer.RawValue(json);
    if (matches == 1) writer.RawValue(json.substr(1, json.size() - 2));
    return matches > 0;
  }

  // [n]
  bool FollowOne(size_t step, Style style, JsonWriter& writer) {
    const bool all = Is(step + 2, Kind::kSubscript) && Is(step + 3, Kind::kWildcard);
    reader_.Next();
    for (long left = steps_[step + 1].index; left > 0; --left) {
      if (reader_.token() == JsonToken::kEndArray) return false;
      reader_.SkipChildren();
      reader_.Next();
    }
    if (reader_.token() == JsonToken::kEndArray) return false;
    const bool found = Follow(step + 2, all ? Style::kQuoted : style, writer);
    while (reader_.Next() != JsonToken::kEndArray) reader_.SkipChildren();
    return found;
  }

  const std::vector<Step>& steps_;
  JsonReader reader_;
};

std::optional<std::string> JsonPath::Get(std::string_view json) const {
  try {
    return Evaluation(steps_, json).Run();
  } catch (const MalformedJson&) {
    return {};
  }
}

namespace {

SparkNodePtr BindGetJsonObject(const SparkNodes& arguments) {
  const auto& type = arrow::utf8();
  const auto json = Coerce(arguments[0], type, "'get_json_object'");
  const auto path = Coerce(arguments[1], type, "'get_json_object'");
  std::string constant;
  if (path->constant == nullptr) {
    return KernelNode(
        type, {json, path},
        RowKernel<std::string_view, std::string_view>(
            type, [](std::string_view text, std::string_view steps) -> std::optional<std::string> {
              const auto parsed = JsonPath::Parse(steps);
              if (!parsed) return {};
              return parsed->Get(text);
            }));
  }
  if (!ConstantText(*path, &constant)) return NullNode(type);
  const auto parsed = JsonPath::Parse(constant);
  if (!parsed) return NullNode(type);
  return KernelNode(type, {json}, RowKernel<std::string_view>(type, [parsed](std::string_view v) {
                      return parsed->Get(v);
                    }));
}

}  // namespace

void AddJson(SparkFunctions& functions) {
  functions["get_json_object"] = {2, 2, BindGetJsonObject};
}

}  // namespace ariadne::engine
