#include "text/json_text.h"

#include <vector>

#include "index/java_double.h"
#include "source/json_string.h"
#include "text/value_text.h"

namespace ariadne::text {

namespace {

void AppendReal(const std::string& token, std::string* text) {
  if (token == "NaN") {
    *text += "\"NaN\"";
  } else if (token.find('I') != std::string::npos) {
    *text += token[0] == '-' ? "\"-Infinity\"" : "\"Infinity\"";
  } else {
    const std::string real = index::JavaDoubleToStringJdk18(*ParseDouble(token));
    *text += real.find('I') == std::string::npos ? real : '"' + real + '"';
  }
}

bool AppendScalar(JsonParser* parser, std::string* text) {
  switch (parser->token()) {
    case JsonToken::kString:
      source::AppendJsonString(parser->Text(), text);
      return true;
    case JsonToken::kInteger:
      *text += parser->Text() == "-0" ? "0" : parser->Text();
      return true;
    case JsonToken::kReal:
      AppendReal(parser->Text(), text);
      return true;
    case JsonToken::kTrue:
      *text += "true";
      return true;
    case JsonToken::kFalse:
      *text += "false";
      return true;
    case JsonToken::kNull:
      *text += "null";
      return true;
    default:
      return false;
  }
}

}  // namespace

bool CopyJson(JsonParser* parser, std::string* text) {
  if (parser->token() != JsonToken::kStartObject && parser->token() != JsonToken::kStartArray) {
    return AppendScalar(parser, text);
  }
  // Whether an entry of each open object or array was written.
  std::vector<bool> begun;
  bool behind_name = false;
  const auto separate = [&] {
    if (!behind_name && !begun.empty()) {
      if (begun.back()) *text += ',';
      begun.back() = true;
    }
    behind_name = false;
  };
  while (true) {
    const JsonToken token = parser->token();
    switch (token) {
      case JsonToken::kNone:
        return true;
      case JsonToken::kStartObject:
      case JsonToken::kStartArray:
        separate();
        *text += token == JsonToken::kStartObject ? '{' : '[';
        begun.push_back(false);
        break;
      case JsonToken::kEndObject:
      case JsonToken::kEndArray:
        *text += token == JsonToken::kEndObject ? '}' : ']';
        begun.pop_back();
        if (begun.empty()) return true;
        break;
      case JsonToken::kFieldName:
        separate();
        source::AppendJsonString(*parser->CurrentName(), text);
        *text += ':';
        behind_name = true;
        break;
      default:
        separate();
        AppendScalar(parser, text);
    }
    parser->NextToken();
  }
}

}  // namespace ariadne::text
