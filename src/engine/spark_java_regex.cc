#include "engine/spark_java_regex.h"

#include <unicode/regex.h>
#include <unicode/unistr.h>

#include <cctype>
#include <cstdint>
#include <memory>
#include <utility>

#include "ariadne/errors.h"
#include "engine/spark_node.h"
#include "engine/spark_utf8.h"
#include "text/text_encoding.h"

namespace ariadne::engine {

namespace {

bool IsAlnum(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

// Rewrites a pattern of Java for ICU, whose \d, \w, \s and dot know more characters.
class Translator {
 public:
  explicit Translator(const std::string& pattern) : pattern_(pattern) {}

  std::string Translate() {
    while (at_ < pattern_.size()) Step();
    return std::move(out_);
  }
  /// The characters that the pattern stands for, if it is nothing but these.
  [[nodiscard]] bool is_literal() const { return literal_; }
  [[nodiscard]] const std::string& literal() const { return characters_; }

 private:
  [[noreturn]] void Refuse(const std::string& construct) const {
    throw UnsupportedSpark("in the regular expression '" + pattern_ + "' " + construct +
                           " is not supported");
  }
  [[nodiscard]] char Char(size_t ahead = 0) const {
    return at_ + ahead < pattern_.size() ? pattern_[at_ + ahead] : '\0';
  }

  void Special(const std::string& text) {
    literal_ = false;
    out_ += text;
  }

  void Step() {
    const char c = Char();
    switch (c) {
      case '\\':
        return Escape();
      case '[':
        return Class();
      case '.':
        ++at_;
        return Special("[^\\n\\r\\u0085\\u2028\\u2029]");
      case '(':
        if (Char(1) == '?') {
          if (Char(2) != ':') Refuse("'(?" + std::string(1, Char(2)) + "'");
          at_ += 3;
          return Special("(?:");
        }
        ++at_;
        return Special("(?:");
      case ')':
      case '|':
      case '^':
        ++at_;
        return Special(std::string(1, c));
      case '*':
      case '+':
      case '?':
      case '{':
        return Quantifier();
      case '$':
        Refuse("'$'");
      default:
        Character(Utf8Length(c));
    }
  }

  void Character(size_t length) {
    const std::string character = pattern_.substr(at_, length);
    at_ += length;
    Literal(character);
  }

  void Literal(const std::string& character) {
    characters_ += character;
    Escaped(character, out_);
  }

  static void Escaped(const std::string& character, std::string& out) {
    const bool plain = character.size() > 1 || IsAlnum(character[0]) ||
                       static_cast<unsigned char>(character[0]) < 0x20;
    if (!plain) out += '\\';
    out += character;
  }

  void Quantifier() {
    std::string text(1, Char());
    if (Char() == '{') {
      size_t end = at_ + 1;
      bool digits = false;
      while (end < pattern_.size() && (std::isdigit(static_cast<unsigned char>(pattern_[end])) ||
                                       (pattern_[end] == ',' && digits))) {
        digits = true;
        ++end;
      }
      if (!digits || end >= pattern_.size() || pattern_[end] != '}') Refuse("'{'");
      text = pattern_.substr(at_, end - at_ + 1);
    }
    at_ += text.size();
    if (Char() == '+') Refuse("a possessive quantifier");
    if (Char() == '?') {
      text += '?';
      ++at_;
    }
    Special(text);
  }

  // The inside of a class that an escape stands for; empty: none.
  static std::string ClassOf(char c) {
    switch (c) {
      case 'd':
        return "0-9";
      case 'w':
        return "a-zA-Z_0-9";
      case 's':
        return "\\t\\n\\u000b\\f\\r\\u0020";
      default:
        return {};
    }
  }

  // A character after a backslash, as the text it stands for. Moves past it.
  std::string EscapedCharacter() {
    const char c = Char(1);
    const auto code = [this](size_t digits) {
      const std::string hex = pattern_.substr(std::min(at_ + 2, pattern_.size()), digits);
      uint32_t value = 0;
      for (const char h : hex) {
        if (!std::isxdigit(static_cast<unsigned char>(h))) Refuse("'\\" + hex + "'");
        value = value * 16 +
                (std::isdigit(static_cast<unsigned char>(h)) ? h - '0' : (h | 0x20) - 'a' + 10);
      }
      if (hex.size() != digits || (value >= 0xD800 && value < 0xE000)) {
        Refuse("the escape '\\" + std::string(1, Char(1)) + hex + "'");
      }
      at_ += 2 + digits;
      std::string text;
      text::AppendUtf8(value, &text);
      return text;
    };
    if (c == 'x') return code(2);
    if (c == 'u') return code(4);
    constexpr std::string_view kLetters = "tnrfae";
    constexpr std::string_view kMeant = "\t\n\r\f\a\x1b";
    const size_t known = kLetters.find(c);
    if (at_ + 1 >= pattern_.size()) Refuse("a backslash at the end");
    if (known != std::string_view::npos) {
      at_ += 2;
      return std::string(1, kMeant[known]);
    }
    if (IsAlnum(c)) Refuse("'\\" + std::string(1, c) + "'");
    ++at_;
    std::string text = pattern_.substr(at_, Utf8Length(c));
    at_ += text.size();
    return text;
  }

  void Escape() {
    const char c = Char(1);
    const std::string inside = ClassOf(static_cast<char>(std::tolower(c)));
    if (!inside.empty()) {
      at_ += 2;
      return Special((std::isupper(static_cast<unsigned char>(c)) ? "[^" : "[") + inside + "]");
    }
    Literal(EscapedCharacter());
  }

  void Class() {
    std::string text = "[";
    ++at_;
    if (Char() == '^') {
      text += '^';
      ++at_;
    }
    if (Char() == ']') Refuse("a class that begins with ']'");
    while (Char() != ']') {
      if (at_ >= pattern_.size()) Refuse("a class that is not closed");
      if (Char() == '[') Refuse("a class within a class");
      if (Char() == '&' && Char(1) == '&') Refuse("'&&'");
      if (Char() == '\\') {
        const std::string inside = ClassOf(Char(1));
        if (!inside.empty()) {
          text += inside;
          at_ += 2;
          continue;
        }
        Escaped(EscapedCharacter(), text);
      } else {
        const std::string character = pattern_.substr(at_, Utf8Length(Char()));
        at_ += character.size();
        Escaped(character, text);
      }
      if (Char() == '-' && Char(1) != ']' && Char(1) != '\0') {
        if (Char(1) == '[' || Char(1) == '\\')
          Refuse("a range to '" + pattern_.substr(at_ + 1, 2) + "'");
        ++at_;
        const std::string last = pattern_.substr(at_, Utf8Length(Char()));
        at_ += last.size();
        text += '-';
        Escaped(last, text);
      }
    }
    ++at_;
    Special(text + "]");
  }

  const std::string& pattern_;
  size_t at_ = 0;
  std::string out_;
  std::string characters_;
  bool literal_ = true;
};

}  // namespace

struct JavaRegex::State {
  std::string literal;  // not empty: the pattern is these characters
  std::unique_ptr<icu::RegexPattern> pattern;
};

JavaRegex::JavaRegex(const std::string& pattern) {
  Translator translator(pattern);
  const std::string translated = translator.Translate();
  auto state = std::make_unique<State>();
  if (translator.is_literal() && !translator.literal().empty()) {
    state->literal = translator.literal();
  } else {
    UErrorCode error = U_ZERO_ERROR;
    UParseError place;
    state->pattern.reset(
        icu::RegexPattern::compile(icu::UnicodeString::fromUTF8(translated), 0, place, error));
    if (U_FAILURE(error)) {
      throw UnsupportedSpark("'" + pattern + "' is no regular expression that is supported (" +
                             u_errorName(error) + ")");
    }
  }
  state_ = std::move(state);
}

JavaRegex::~JavaRegex() = default;

namespace {

/// Finds matches as Java does, which counts 16-bit units: after an empty match it looks on from the
/// next unit, and so within a surrogate pair.
class Matches {
 public:
  Matches(const icu::RegexPattern& pattern, const icu::UnicodeString& text)
      : text_(text), matcher_(pattern.matcher(text, error_)), pattern_(pattern) {}

  /// The next match, into `start` and `end`; false where there is none.
  bool Next(int32_t* start, int32_t* end) {
    if (from_ > text_.length()) return false;
    const bool found = IsWithinPair(from_) ? FindWithinPair(start, end) : Find(start, end);
    if (U_FAILURE(error_)) {
      throw QueryError(std::string("A regular expression failed on a text: ") +
                       u_errorName(error_));
    }
    if (found) from_ = *end == *start ? *end + 1 : *end;
    return found;
  }

 private:
  bool IsWithinPair(int32_t at) const {
    return at > 0 && at < text_.length() && U16_IS_LEAD(text_[at - 1]) && U16_IS_TRAIL(text_[at]);
  }
  bool Find(int32_t* start, int32_t* end) {
    if (U_FAILURE(error_) || !matcher_->find(from_, error_)) return false;
    *start = matcher_->start(error_);
    *end = matcher_->end(error_);
    return true;
  }
  /// ICU never begins there: it gets the rest of the text, behind something that is no beginning.
  bool FindWithinPair(int32_t* start, int32_t* end) {
    icu::UnicodeString rest(u' ');
    rest.append(text_, from_, text_.length() - from_);
    const std::unique_ptr<icu::RegexMatcher> matcher(pattern_.matcher(rest, error_));
    if (U_FAILURE(error_)) return false;
    matcher->useAnchoringBounds(false);
    matcher->region(1, rest.length(), error_);
    if (!matcher->find()) return false;
    *start = matcher->start(error_) - 1 + from_;
    *end = matcher->end(error_) - 1 + from_;
    return true;
  }

  const icu::UnicodeString& text_;
  UErrorCode error_ = U_ZERO_ERROR;
  std::unique_ptr<icu::RegexMatcher> matcher_;
  const icu::RegexPattern& pattern_;
  int32_t from_ = 0;
};

/// As Java encodes it: half of a surrogate pair is a question mark.
std::string Utf8Of(const icu::UnicodeString& text) {
  std::string out;
  const bool cut_before = !text.isEmpty() && U16_IS_TRAIL(text[0]);
  const bool cut_after =
      text.length() > (cut_before ? 1 : 0) && U16_IS_LEAD(text[text.length() - 1]);
  if (cut_before) out += '?';
  text.tempSubStringBetween(cut_before ? 1 : 0, text.length() - (cut_after ? 1 : 0))
      .toUTF8String(out);
  if (cut_after) out += '?';
  return out;
}

}  // namespace

std::vector<std::string> JavaRegex::Split(std::string_view text, int limit) const {
  std::vector<std::string> parts;
  const bool limited = limit > 0;
  const auto full = [&] { return limited && parts.size() + 1 >= static_cast<size_t>(limit); };
  if (!state_->literal.empty()) {
    size_t at = 0;
    for (size_t hit = text.find(state_->literal); hit != std::string_view::npos && !full();
         hit = text.find(state_->literal, at)) {
      parts.emplace_back(text.substr(at, hit - at));
      at = hit + state_->literal.size();
    }
    parts.emplace_back(text.substr(at));
    return parts;
  }
  const auto input = icu::UnicodeString::fromUTF8(
      icu::StringPiece(text.data(), static_cast<int32_t>(text.size())));
  Matches matches(*state_->pattern, input);
  int32_t at = 0;
  int32_t start = 0;
  int32_t end = 0;
  while (!full() && matches.Next(&start, &end)) {
    if (end == 0) continue;  // An empty match at the beginning parts nothing.
    parts.push_back(Utf8Of(input.tempSubStringBetween(at, start)));
    at = end;
  }
  parts.push_back(Utf8Of(input.tempSubStringBetween(at, input.length())));
  return parts;
}

}  // namespace ariadne::engine
