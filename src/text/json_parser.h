#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "text/text_format.h"

namespace ariadne::text {

enum class JsonToken {
  kNone,  ///< Before the first token and behind the last.
  kStartObject,
  kEndObject,
  kStartArray,
  kEndArray,
  kFieldName,
  kString,
  kInteger,
  kReal,  ///< A number with a point or an exponent, NaN or an infinity.
  kTrue,
  kFalse,
  kNull,
};

/// Thrown where the text is no JSON. What was read before stays valid, and reading on from there is
/// defined: Spark keeps parts of records that way.
class JsonSyntaxError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The tokens of one JSON text, one after the other, with the same tokens, names and places after
/// an error as the parser that Spark uses: a field's name comes with the first character of its
/// value read, strings are read when they are asked for.
class JsonParser {
 public:
  /// `text` is UTF-8, which strings and names are checked for. Both must outlive the parser.
  JsonParser(std::string_view text, const TextOptions& options);

  /// Throws JsonSyntaxError.
  JsonToken NextToken();
  [[nodiscard]] JsonToken token() const { return token_; }
  /// Name of the field that the current token belongs to; nullptr: it belongs to none.
  [[nodiscard]] const std::string* CurrentName() const;
  /// The current string, number or word, unescaped.
  const std::string& Text();
  /// The bytes of the current string, which is Base64. False, at the place of the first character
  /// that is wrong: it is none. Throws JsonSyntaxError.
  bool Bytes(std::string* bytes);
  /// Goes on to the end of the object or array that begins here. Throws JsonSyntaxError.
  void SkipChildren();
  /// Bytes of the text read so far.
  [[nodiscard]] size_t place() const { return at_; }

 private:
  enum class Scope { kRoot, kArray, kObject };
  struct Context {
    Scope scope = Scope::kRoot;
    bool begun = false;
    bool named = false;
    std::string name;
  };

  static constexpr int kEnd = -1;

  [[nodiscard]] int Peek() const;
  int SkipBlanks(bool end_allowed);
  void SkipComment();
  void Push(Scope scope);
  void Pop(Scope scope);
  JsonToken AfterName();
  JsonToken Value(int first);
  JsonToken UnexpectedValue(int first);
  JsonToken Number(int first);
  JsonToken SignedWord(int first, bool negative);
  JsonToken NonNumber(std::string_view word);
  void Match(std::string_view word, size_t from);
  void ParseName(int first);
  void FinishString(char quote, std::string* into);
  int NextBase64(int place, bool* end);
  void AppendEscape(std::string* into, char32_t* high);
  void AppendCharacter(unsigned char lead, std::string* into, char32_t* high);
  static void AppendUnit(char32_t unit, std::string* into, char32_t* high);
  [[noreturn]] void FailAtWord();
  [[noreturn]] static void Fail(const char* why);

  std::string_view text_;
  const TextOptions& options_;
  size_t at_ = 0;
  std::vector<Context> contexts_;
  JsonToken token_ = JsonToken::kNone;
  JsonToken next_ = JsonToken::kNone;
  bool incomplete_ = false;  // A string of which only the first quote was read.
  std::string value_;
};

}  // namespace ariadne::text
