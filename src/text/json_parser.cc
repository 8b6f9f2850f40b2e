#include "text/json_parser.h"

#include "text/text_encoding.h"

namespace ariadne::text {

namespace {

constexpr size_t kDeepest = 1000;
constexpr size_t kLongestNumber = 1000;

bool IsDigit(int c) { return c >= '0' && c <= '9'; }
bool IsNameStart(int c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || c >= 0x80;
}
bool IsNamePart(int c) { return IsNameStart(c) || IsDigit(c); }

int HexDigit(int c) {
  if (IsDigit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

JsonParser::JsonParser(std::string_view text, const TextOptions& options)
    : text_(text), options_(options), contexts_(1) {}

void JsonParser::Fail(const char* why) { throw JsonSyntaxError(why); }

int JsonParser::Peek() const {
  return at_ < text_.size() ? static_cast<unsigned char>(text_[at_]) : kEnd;
}

const std::string* JsonParser::CurrentName() const {
  const bool starts = token_ == JsonToken::kStartObject || token_ == JsonToken::kStartArray;
  if (starts && contexts_.size() < 2) return nullptr;
  const Context& context = contexts_[contexts_.size() - (starts ? 2 : 1)];
  return context.named ? &context.name : nullptr;
}

void JsonParser::Push(Scope scope) {
  if (contexts_.size() > kDeepest) Fail("it is nested too deeply");
  contexts_.push_back({scope, false, false, {}});
}

void JsonParser::Pop(Scope scope) {
  if (contexts_.back().scope != scope) Fail("a bracket closes what was not opened");
  contexts_.pop_back();
}

void JsonParser::SkipComment() {
  if (!options_.allow_comments) Fail("a comment");
  const int kind = Peek();
  if (kind == '/') {
    while (Peek() != kEnd && Peek() != '\n' && Peek() != '\r') ++at_;
  } else if (kind == '*') {
    const size_t end = text_.find("*/", at_ + 1);
    if (end == std::string_view::npos) {
      at_ = text_.size();
      Fail("an open comment");
    }
    at_ = end + 2;
  } else {
    Fail("a slash");
  }
}

// The next character that is no blank, consumed; kEnd where the text may and does end.
int JsonParser::SkipBlanks(bool end_allowed) {
  while (true) {
    const int c = Peek();
    if (c == kEnd) {
      if (!end_allowed || contexts_.back().scope != Scope::kRoot) Fail("it ends too early");
      return kEnd;
    }
    ++at_;
    if (c == '/') {
      SkipComment();
    } else if (c > ' ') {
      return c;
    } else if (c != ' ' && c != '\n' && c != '\r' && c != '\t') {
      Fail("a control character");
    }
  }
}

JsonToken JsonParser::AfterName() {
  token_ = next_;
  next_ = JsonToken::kNone;
  if (token_ == JsonToken::kStartArray) Push(Scope::kArray);
  if (token_ == JsonToken::kStartObject) Push(Scope::kObject);
  return token_;
}

JsonToken JsonParser::NextToken() {
  if (token_ == JsonToken::kFieldName) return AfterName();
  if (incomplete_) {
    incomplete_ = false;
    FinishString('"', nullptr);
  }
  int c = SkipBlanks(/*end_allowed=*/true);
  if (c == kEnd) return token_ = JsonToken::kNone;
  if (c == ']') {
    Pop(Scope::kArray);
    return token_ = JsonToken::kEndArray;
  }
  if (c == '}') {
    Pop(Scope::kObject);
    return token_ = JsonToken::kEndObject;
  }
  Context& context = contexts_.back();
  const bool later = context.begun;
  context.begun = true;
  if (context.scope != Scope::kRoot && later) {
    if (c != ',') Fail("no comma between two entries");
    c = SkipBlanks(/*end_allowed=*/false);
  }
  if (context.scope != Scope::kObject) {
    const JsonToken found = Value(c);
    token_ = found;
    if (found == JsonToken::kStartArray) Push(Scope::kArray);
    if (found == JsonToken::kStartObject) Push(Scope::kObject);
    return token_;
  }
  ParseName(c);
  token_ = JsonToken::kFieldName;
  if (SkipBlanks(/*end_allowed=*/false) != ':') Fail("no colon behind a name");
  next_ = Value(SkipBlanks(/*end_allowed=*/false));
  return token_;
}

JsonToken JsonParser::Value(int first) {
  switch (first) {
    case '"':
      incomplete_ = true;
      return JsonToken::kString;
    case '[':
      return JsonToken::kStartArray;
    case '{':
      return JsonToken::kStartObject;
    case 't':
      Match("true", 1);
      value_ = "true";
      return JsonToken::kTrue;
    case 'f':
      Match("false", 1);
      value_ = "false";
      return JsonToken::kFalse;
    case 'n':
      Match("null", 1);
      value_ = "null";
      return JsonToken::kNull;
    default:
      if (first == '-' || IsDigit(first)) return Number(first);
      return UnexpectedValue(first);
  }
}

JsonToken JsonParser::UnexpectedValue(int first) {
  if (first == '\'' && options_.allow_single_quotes) {
    value_.clear();
    FinishString('\'', &value_);
    return JsonToken::kString;
  }
  if (first == 'N') {
    Match("NaN", 1);
    return NonNumber("NaN");
  }
  if (first == 'I') {
    Match("Infinity", 1);
    return NonNumber("Infinity");
  }
  if (first == '+') {
    const int next = Peek();
    if (next == kEnd) Fail("it ends within a value");
    ++at_;
    return SignedWord(next, /*negative=*/false);
  }
  if (IsNameStart(first)) FailAtWord();
  Fail("no value where one is expected");
}

JsonToken JsonParser::NonNumber(std::string_view word) {
  if (!options_.allow_non_numbers) Fail("a number that is none");
  value_ = word;
  return JsonToken::kReal;
}

// "+INF", "-Infinity" and the like; `first` stands behind the sign.
JsonToken JsonParser::SignedWord(int first, bool negative) {
  if (first == 'I') {
    const int next = Peek();
    if (next == kEnd) Fail("it ends within a value");
    ++at_;
    if (next == 'N') {
      Match("+INF", 3);
      return NonNumber(negative ? "-INF" : "+INF");
    }
    if (next == 'n') {
      Match("+Infinity", 3);
      return NonNumber(negative ? "-Infinity" : "+Infinity");
    }
  }
  Fail("a sign without a number");
}

void JsonParser::Match(std::string_view word, size_t from) {
  for (size_t i = from; i < word.size(); ++i) {
    if (Peek() != word[i]) FailAtWord();
    ++at_;
  }
  if (Peek() != kEnd && IsNamePart(Peek())) FailAtWord();
}

// The rest of the word is lost, and one character behind it.
void JsonParser::FailAtWord() {
  while (at_ < text_.size() && IsNamePart(static_cast<unsigned char>(text_[at_++]))) {
  }
  Fail("an unknown word");
}

JsonToken JsonParser::Number(int first) {
  value_.clear();
  int c = first;
  const auto next = [this] {
    const int found = Peek();
    if (found != kEnd) ++at_;
    return found;
  };
  if (first == '-') {
    value_ += '-';
    c = next();
    if (!IsDigit(c)) {
      if (c == kEnd) Fail("it ends within a number");
      return SignedWord(c, /*negative=*/true);
    }
  }
  if (c == '0' && IsDigit(Peek())) {
    if (!options_.allow_leading_zeros) Fail("a leading zero");
    while (c == '0' && IsDigit(Peek())) c = next();
  }
  value_ += static_cast<char>(c);
  while (IsDigit(Peek())) value_ += static_cast<char>(next());
  JsonToken found = JsonToken::kInteger;
  if (Peek() == '.') {
    found = JsonToken::kReal;
    value_ += static_cast<char>(next());
    if (!IsDigit(Peek())) {
      next();
      Fail("no digit behind a point");
    }
    while (IsDigit(Peek())) value_ += static_cast<char>(next());
  }
  if (Peek() == 'e' || Peek() == 'E') {
    found = JsonToken::kReal;
    value_ += static_cast<char>(next());
    if (Peek() == '+' || Peek() == '-') value_ += static_cast<char>(next());
    if (!IsDigit(Peek())) {
      next();
      Fail("no digit in an exponent");
    }
    while (IsDigit(Peek())) value_ += static_cast<char>(next());
  }
  if (contexts_.back().scope == Scope::kRoot) {
    const int behind = Peek();
    if (behind != kEnd && behind != ' ' && behind != '\t' && behind != '\n' && behind != '\r') {
      Fail("no blank behind a number");
    }
  }
  if (value_.size() > kLongestNumber) Fail("a number of too many digits");
  return found;
}

void JsonParser::ParseName(int first) {
  Context& context = contexts_.back();
  std::string name;
  if (first == '"') {
    FinishString('"', &name);
  } else if (first == '\'' && options_.allow_single_quotes) {
    FinishString('\'', &name);
  } else if (options_.allow_unquoted_names && (IsNameStart(first))) {
    --at_;
    char32_t high = 0;
    while (Peek() != kEnd && IsNamePart(Peek())) {
      const auto lead = static_cast<unsigned char>(text_[at_++]);
      if (lead < 0x80) {
        name += static_cast<char>(lead);
      } else {
        AppendCharacter(lead, &name, &high);
      }
    }
  } else {
    Fail("no quote before a name");
  }
  context.name = std::move(name);
  context.named = true;
}

const std::string& JsonParser::Text() {
  if (token_ == JsonToken::kString && incomplete_) {
    incomplete_ = false;
    value_.clear();
    FinishString('"', &value_);
  }
  return value_;
}

// A surrogate without its partner is '?', as Java encodes it.
void JsonParser::AppendUnit(char32_t unit, std::string* into, char32_t* high) {
  if (into == nullptr) return;
  if (*high != 0) {
    const char32_t first = *high;
    *high = 0;
    if (unit >= 0xdc00 && unit <= 0xdfff) {
      AppendUtf8(0x10000 + ((first - 0xd800) << 10) + (unit - 0xdc00), into);
      return;
    }
    *into += '?';
  }
  if (unit >= 0xd800 && unit <= 0xdbff) {
    *high = unit;
  } else if (unit >= 0xdc00 && unit <= 0xdfff) {
    *into += '?';
  } else {
    AppendUtf8(unit, into);
  }
}

void JsonParser::AppendEscape(std::string* into, char32_t* high) {
  const int c = Peek();
  if (c == kEnd) Fail("it ends within an escape");
  ++at_;
  switch (c) {
    case 'b':
      return AppendUnit('\b', into, high);
    case 't':
      return AppendUnit('\t', into, high);
    case 'n':
      return AppendUnit('\n', into, high);
    case 'f':
      return AppendUnit('\f', into, high);
    case 'r':
      return AppendUnit('\r', into, high);
    case '"':
    case '/':
    case '\\':
      return AppendUnit(static_cast<char32_t>(c), into, high);
    case 'u': {
      char32_t unit = 0;
      for (int i = 0; i < 4; ++i) {
        const int digit = HexDigit(Peek());
        if (Peek() != kEnd) ++at_;
        if (digit < 0) Fail("no hexadecimal digit in an escape");
        unit = unit * 16 + static_cast<char32_t>(digit);
      }
      return AppendUnit(unit, into, high);
    }
    default:
      if (!options_.allow_any_escape && !(c == '\'' && options_.allow_single_quotes)) {
        Fail("an unknown escape");
      }
      if (c >= 0x80) return AppendCharacter(static_cast<unsigned char>(c), into, high);
      return AppendUnit(static_cast<char32_t>(c), into, high);
  }
}

void JsonParser::AppendCharacter(unsigned char lead, std::string* into, char32_t* high) {
  int behind = 0;
  char32_t code = 0;
  if ((lead & 0xe0) == 0xc0) {
    behind = 1;
    code = lead & 0x1f;
  } else if ((lead & 0xf0) == 0xe0) {
    behind = 2;
    code = lead & 0x0f;
  } else if ((lead & 0xf8) == 0xf0) {
    behind = 3;
    code = lead & 0x07;
  } else {
    Fail("a byte that begins no UTF-8 character");
  }
  for (; behind > 0; --behind) {
    const int next = Peek();
    if (next == kEnd) Fail("it ends within a character");
    ++at_;
    if ((next & 0xc0) != 0x80) Fail("a byte within a UTF-8 character that is none of it");
    code = code << 6 | static_cast<char32_t>(next & 0x3f);
  }
  if (code > 0x10ffff) Fail("a character beyond Unicode");
  if (code >= 0x10000) {
    AppendUnit(0xd800 + ((code - 0x10000) >> 10), into, high);
    AppendUnit(0xdc00 + ((code - 0x10000) & 0x3ff), into, high);
    return;
  }
  AppendUnit(code, into, high);
}

// From behind the first quote to behind the last; `into` nullptr skips it.
void JsonParser::FinishString(char quote, std::string* into) {
  char32_t high = 0;
  while (true) {
    if (at_ >= text_.size()) Fail("it ends within a string");
    const auto c = static_cast<unsigned char>(text_[at_++]);
    if (c == static_cast<unsigned char>(quote)) break;
    if (c == '\\') {
      AppendEscape(into, &high);
    } else if (c < ' ') {
      if (!options_.allow_control_characters) Fail("a control character in a string");
      AppendUnit(c, into, &high);
    } else if (c < 0x80) {
      if (into != nullptr) {
        if (high != 0) {
          *into += '?';
          high = 0;
        }
        *into += static_cast<char>(c);
      }
    } else {
      AppendCharacter(c, into, &high);
    }
  }
  if (into != nullptr && high != 0) *into += '?';
}

void JsonParser::SkipChildren() {
  if (token_ != JsonToken::kStartObject && token_ != JsonToken::kStartArray) return;
  int open = 1;
  while (true) {
    switch (NextToken()) {
      case JsonToken::kNone:
        if (contexts_.back().scope != Scope::kRoot) Fail("it ends too early");
        return;
      case JsonToken::kStartObject:
      case JsonToken::kStartArray:
        ++open;
        break;
      case JsonToken::kEndObject:
      case JsonToken::kEndArray:
        if (--open == 0) return;
        break;
      default:
        break;
    }
  }
}

}  // namespace ariadne::text
