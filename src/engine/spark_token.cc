#include "engine/spark_token.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

#include "engine/spark_text.h"
#include "engine/spark_utf8.h"
#include "text/text_encoding.h"

namespace ariadne::engine {

namespace {

using Kind = SparkToken::Kind;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool IsBlank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

class Lexer {
 public:
  explicit Lexer(const std::string& text) : text_(text) {}

  std::vector<SparkToken> Read() {
    while (SkipBlanks()) Next();
    return std::move(tokens_);
  }

 private:
  [[nodiscard]] char Char(size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  [[nodiscard]] bool StartsWith(std::string_view word) const {
    return std::string_view(text_).substr(at_, word.size()) == word;
  }
  void Add(Kind kind, std::string text, std::string upper = {}) {
    tokens_.push_back({kind, std::move(text), std::move(upper)});
  }

  // False at the end.
  bool SkipBlanks() {
    while (at_ < text_.size()) {
      if (IsBlank(Char())) {
        ++at_;
      } else if (StartsWith("--")) {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (StartsWith("/*")) {
        SkipComment();
      } else {
        return true;
      }
    }
    return false;
  }

  // Comments nest.
  void SkipComment() {
    int depth = 0;
    while (at_ < text_.size()) {
      if (StartsWith("/*")) {
        ++depth;
        at_ += 2;
      } else if (StartsWith("*/")) {
        at_ += 2;
        if (--depth == 0) return;
      } else {
        ++at_;
      }
    }
    ThrowUnsupported(text_, "a comment does not end");
  }

  void Next() {
    const char c = Char();
    if (c == '\'' || c == '"') return String(false);
    if ((c == 'r' || c == 'R') && (Char(1) == '\'' || Char(1) == '"')) {
      ++at_;
      return String(true);
    }
    if (c == '`') return QuotedName();
    // After a name or a bracket a dot is an access: `a.1` is no number.
    if (IsDigit(c) || (c == '.' && IsDigit(Char(1)) && !AfterName())) return Number();
    if (IsLetter(c)) return Word();
    Symbol();
  }

  [[nodiscard]] bool AfterName() const {
    const char before = at_ == 0 ? ' ' : text_[at_ - 1];
    return IsLetter(before) || IsDigit(before) || before == '`' || before == ')' || before == ']';
  }

  void QuotedName() {
    std::string name;
    for (++at_; at_ < text_.size(); ++at_) {
      if (Char() == '`') {
        if (Char(1) != '`') {
          ++at_;
          if (name.empty()) ThrowUnsupported(text_, "a name in backquotes is empty");
          return Add(Kind::kQuotedName, std::move(name));
        }
        ++at_;
      }
      name += Char();
    }
    ThrowUnsupported(text_, "a backquote is not closed");
  }

  void String(bool raw) {
    const char quote = Char();
    std::string value;
    for (++at_; at_ < text_.size();) {
      if (Char() == quote) {
        ++at_;
        return Add(Kind::kString, std::move(value));
      }
      if (Char() == '\\' && at_ + 1 < text_.size() && !raw) {
        Escape(value);
      } else {
        value += text_[at_++];
      }
    }
    ThrowUnsupported(text_, "a string is not closed");
  }

  // `\101` octal, `\u0041`, `\U0001F600`, the letters of Java, and `\%` and `\_`, which stay for
  // LIKE.
  void Escape(std::string& value) {
    ++at_;
    const char c = Char();
    if (c == 'u' && HexDigits(4)) return CodePoint(value, 4);
    if (c == 'U' && HexDigits(8)) return CodePoint(value, 8);
    if (c >= '0' && c <= '1' && IsOctal(Char(1)) && IsOctal(Char(2))) {
      text::AppendUtf8((c - '0') * 64 + (Char(1) - '0') * 8 + (Char(2) - '0'), &value);
      at_ += 3;
      return;
    }
    switch (c) {
      case '0':
        value += '\0';
        break;
      case 'b':
        value += '\b';
        break;
      case 'n':
        value += '\n';
        break;
      case 'r':
        value += '\r';
        break;
      case 't':
        value += '\t';
        break;
      case 'Z':
        value += '\x1a';
        break;
      case '%':
      case '_':
        value += '\\';
        value += c;
        break;
      default:
        value += c;
    }
    ++at_;
  }

  static bool IsOctal(char c) { return c >= '0' && c <= '7'; }
  [[nodiscard]] bool HexDigits(size_t count) const {
    for (size_t i = 1; i <= count; ++i) {
      const char c = Char(i);
      if (!IsDigit(c) && !(c >= 'a' && c <= 'f') && !(c >= 'A' && c <= 'F')) return false;
    }
    return true;
  }
  void CodePoint(std::string& value, size_t digits) {
    const auto code = static_cast<uint32_t>(std::stoul(text_.substr(at_ + 1, digits), nullptr, 16));
    at_ += 1 + digits;
    if (code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) {
      ThrowUnsupported(text_, "an escape names no character");
    }
    text::AppendUtf8(code, &value);
  }

  void Number() {
    const size_t start = at_;
    while (IsDigit(Char())) ++at_;
    if (Char() == '.' && !(Char(1) == '.')) {
      ++at_;
      while (IsDigit(Char())) ++at_;
    }
    const bool signed_exponent = (Char(1) == '+' || Char(1) == '-') && IsDigit(Char(2));
    if ((Char() == 'e' || Char() == 'E') && (IsDigit(Char(1)) || signed_exponent)) {
      at_ += 2;
      while (IsDigit(Char())) ++at_;
    }
    while (IsLetter(Char()) || IsDigit(Char())) ++at_;
    Add(Kind::kNumber, text_.substr(start, at_ - start));
  }

  void Word() {
    const size_t start = at_;
    while (IsLetter(Char()) || IsDigit(Char())) ++at_;
    std::string word = text_.substr(start, at_ - start);
    std::string upper = word;
    std::transform(upper.begin(), upper.end(), upper.begin(),
                   [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
    Add(Kind::kWord, std::move(word), std::move(upper));
  }

  void Symbol() {
    static constexpr std::array<std::string_view, 11> kLong = {
        "<=>", "<=", ">=", "<>", "!=", "==", "||", "->", "=>", "::", "!<"};
    for (const auto symbol : kLong) {
      if (StartsWith(symbol)) {
        at_ += symbol.size();
        return Add(Kind::kSymbol, std::string(symbol));
      }
    }
    if (static_cast<unsigned char>(Char()) >= 0x80) {
      ThrowUnsupported(text_, "names with other than letters, digits and '_' need backquotes");
    }
    Add(Kind::kSymbol, std::string(1, text_[at_++]));
  }

  const std::string& text_;
  size_t at_ = 0;
  std::vector<SparkToken> tokens_;
};

}  // namespace

std::vector<SparkToken> ReadSparkTokens(const std::string& expression) {
  return Lexer(expression).Read();
}

}  // namespace ariadne::engine
