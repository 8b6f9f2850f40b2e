#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ariadne::engine {

/// The text is no JSON, or JSON that Spark's parser refuses.
struct MalformedJson {};

enum class JsonToken {
  kNone,  ///< Before the first token, and after the last.
  kStartObject,
  kEndObject,
  kStartArray,
  kEndArray,
  kName,
  kString,
  kInteger,
  kFloat,
  kTrue,
  kFalse,
  kNull,
};

/// Reads JSON token by token, as the parser does that Spark uses: what has not been read may be
/// malformed without notice. Strings in single quotes and with control characters are accepted;
/// arrays and objects nest up to 1,000 deep. All functions throw MalformedJson.
class JsonReader {
 public:
  explicit JsonReader(std::string_view text) : text_(text) {}

  JsonToken Next();
  [[nodiscard]] JsonToken token() const { return token_; }
  /// Of a name or a string, unescaped; of a number, as written.
  [[nodiscard]] const std::string& value() const { return value_; }
  /// From the start of an object or array to its end; nothing for other tokens.
  void SkipChildren();

 private:
  struct Scope {
    bool object = false;
    int64_t values = 0;
    bool named = false;  // an object's name was read, its value not
  };

  [[nodiscard]] bool Done() const { return at_ >= text_.size(); }
  void SkipBlanks();
  JsonToken Open(bool object);
  JsonToken Value();
  void String(char quote);
  uint32_t Escaped();
  uint32_t Hex4();
  JsonToken Number();
  JsonToken Word(std::string_view word, JsonToken token);

  std::string_view text_;
  size_t at_ = 0;
  JsonToken token_ = JsonToken::kNone;
  std::string value_;
  std::vector<Scope> scopes_;
};

}  // namespace ariadne::engine
