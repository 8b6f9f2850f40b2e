#include "engine/spark_json_reader.h"

#include "engine/spark_utf8.h"
#include "text/text_encoding.h"

namespace ariadne::engine {

namespace {

constexpr size_t kMostNesting = 1000;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

void JsonReader::SkipBlanks() {
  while (!Done() &&
         (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n' || text_[at_] == '\r')) {
    ++at_;
  }
}

JsonToken JsonReader::Next() {
  SkipBlanks();
  if (scopes_.empty()) {
    if (Done()) return token_ = JsonToken::kNone;
    return token_ = Value();
  }
  if (Done()) throw MalformedJson();
  Scope& scope = scopes_.back();
  if (scope.object && scope.named) {
    scope.named = false;
    return token_ = Value();
  }
  const char end = scope.object ? '}' : ']';
  if (text_[at_] == end) {
    ++at_;
    const bool object = scope.object;
    scopes_.pop_back();
    return token_ = object ? JsonToken::kEndObject : JsonToken::kEndArray;
  }
  if (scope.values++ > 0) {
    if (text_[at_] != ',') throw MalformedJson();
    ++at_;
    SkipBlanks();
    if (Done() || text_[at_] == end) throw MalformedJson();
  }
  if (!scope.object) return token_ = Value();
  if (text_[at_] != '"' && text_[at_] != '\'') throw MalformedJson();
  String(text_[at_]);
  SkipBlanks();
  if (Done() || text_[at_] != ':') throw MalformedJson();
  ++at_;
  SkipBlanks();
  if (Done()) throw MalformedJson();
  scope.named = true;
  return token_ = JsonToken::kName;
}

JsonToken JsonReader::Open(bool object) {
  if (scopes_.size() >= kMostNesting) throw MalformedJson();
  ++at_;
  scopes_.push_back({object, 0, false});
  return object ? JsonToken::kStartObject : JsonToken::kStartArray;
}

JsonToken JsonReader::Value() {
  const char c = text_[at_];
  switch (c) {
    case '{':
      return Open(true);
    case '[':
      return Open(false);
    case '"':
    case '\'':
      String(c);
      return JsonToken::kString;
    case 't':
      return Word("true", JsonToken::kTrue);
    case 'f':
      return Word("false", JsonToken::kFalse);
    case 'n':
      return Word("null", JsonToken::kNull);
    default:
      return Number();
  }
}

JsonToken JsonReader::Word(std::string_view word, JsonToken token) {
  if (text_.substr(at_, word.size()) != word) throw MalformedJson();
  at_ += word.size();
  const char next = Done() ? ' ' : text_[at_];
  const bool letter = (next >= 'a' && next <= 'z') || (next >= 'A' && next <= 'Z') ||
                      IsDigit(next) || next == '_' || next == '$';
  if (letter) throw MalformedJson();
  return token;
}

JsonToken JsonReader::Number() {
  const size_t start = at_;
  const auto digits = [this] {
    const size_t first = at_;
    while (!Done() && IsDigit(text_[at_])) ++at_;
    if (at_ == first) throw MalformedJson();
    return at_ - first;
  };
  if (text_[at_] == '-') ++at_;
  const size_t first = at_;
  if (digits() > 1 && text_[first] == '0') throw MalformedJson();
  JsonToken token = JsonToken::kInteger;
  if (!Done() && text_[at_] == '.') {
    token = JsonToken::kFloat;
    ++at_;
    digits();
  }
  if (!Done() && (text_[at_] == 'e' || text_[at_] == 'E')) {
    token = JsonToken::kFloat;
    ++at_;
    if (!Done() && (text_[at_] == '+' || text_[at_] == '-')) ++at_;
    digits();
  }
  // A number that stands alone ends at a blank.
  if (scopes_.empty() && !Done()) {
    const size_t end = at_;
    SkipBlanks();
    if (at_ == end) throw MalformedJson();
  }
  value_ = text_.substr(start, at_ - start);
  while (!value_.empty() && static_cast<unsigned char>(value_.back()) <= ' ') value_.pop_back();
  return token;
}

uint32_t JsonReader::Hex4() {
  uint32_t value = 0;
  for (int i = 0; i < 4; ++i, ++at_) {
    if (Done()) throw MalformedJson();
    const char c = text_[at_];
    const char lower = static_cast<char>(c | 0x20);
    if (IsDigit(c)) {
      value = value * 16 + (c - '0');
    } else if (lower >= 'a' && lower <= 'f') {
      value = value * 16 + (lower - 'a' + 10);
    } else {
      throw MalformedJson();
    }
  }
  return value;
}

// Past the backslash.
uint32_t JsonReader::Escaped() {
  if (Done()) throw MalformedJson();
  const char c = text_[at_++];
  switch (c) {
    case 'b':
      return '\b';
    case 't':
      return '\t';
    case 'n':
      return '\n';
    case 'f':
      return '\f';
    case 'r':
      return '\r';
    case '"':
    case '\'':
    case '/':
    case '\\':
      return static_cast<unsigned char>(c);
    case 'u':
      return Hex4();
    default:
      throw MalformedJson();
  }
}

// A pair of escaped surrogates is one character; one alone is kept as it is (in three bytes), and
// is found out when it is written.
void JsonReader::String(char quote) {
  ++at_;
  value_.clear();
  while (!Done()) {
    const char c = text_[at_++];
    if (c == quote) return;
    if (c != '\\') {
      value_ += c;
      continue;
    }
    uint32_t code = Escaped();
    const bool pair = code >= 0xD800 && code < 0xDC00 && text_.substr(at_, 2) == "\\u";
    if (pair) {
      const size_t back = at_;
      at_ += 2;
      const uint32_t low = Hex4();
      if (low >= 0xDC00 && low < 0xE000) {
        code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
      } else {
        at_ = back;
      }
    }
    text::AppendUtf8(code, &value_);
  }
  throw MalformedJson();
}

void JsonReader::SkipChildren() {
  if (token_ != JsonToken::kStartObject && token_ != JsonToken::kStartArray) return;
  const size_t depth = scopes_.size();
  while (scopes_.size() >= depth) Next();
}

}  // namespace ariadne::engine
