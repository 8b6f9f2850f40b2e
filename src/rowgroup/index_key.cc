#include "rowgroup/index_key.h"

namespace ariadne::rowgroup {
namespace {

std::string Quoted(std::string_view text, char quote) {
  std::string quoted(1, quote);
  for (const char c : text) {
    if (c == quote) quoted += c;
    quoted += c;
  }
  return quoted + quote;
}

std::string Typed(std::string text, std::string_view type) {
  text += ':';
  text += type;
  return text;
}

}  // namespace

std::string FieldTarget(int32_t field_id, std::string_view type) {
  return Typed("#" + std::to_string(field_id), type);
}

std::string ColumnTarget(std::span<const std::string> path, std::string_view type) {
  std::string text;
  for (const std::string& name : path) {
    if (!text.empty()) text += '.';
    text += Quoted(name, '"');
  }
  return Typed(std::move(text), type);
}

std::string ConstantTarget(std::string_view text, std::string_view type) {
  return Typed(Quoted(text, '\''), type);
}

std::string FunctionTarget(std::string_view function, std::span<const std::string> arguments,
                           std::string_view type) {
  std::string text = Quoted(function, '`') + "(";
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (i > 0) text += ", ";
    text += arguments[i];
  }
  return Typed(text + ")", type);
}

const char* ToString(Kind kind) { return kind == Kind::kBloom ? "bloom" : "range"; }

std::string IndexKey::Text() const {
  std::string text;
  text.reserve(file.uri.size() + file.etag.size() + target.size() + 64);
  const auto add = [&text](std::string_view part) {
    text += std::to_string(part.size());
    text += ':';
    text += part;
  };
  add(file.uri);
  add(file.etag);
  add(target);
  for (const int64_t number :
       {file.size, file.etag.empty() ? file.modified_ms : 0, static_cast<int64_t>(row_group)}) {
    text += std::to_string(number);
    text += ' ';
  }
  return text + ToString(kind);
}

}  // namespace ariadne::rowgroup
