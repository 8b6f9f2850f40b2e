#include "source/name_match.h"

#include <algorithm>

#include <arrow/array/array_binary.h>
#include <arrow/array/builder_binary.h>
#include <arrow/compute/exec.h>
#include <arrow/datum.h>

#include "source/convert.h"

namespace ariadne::source {

namespace {

std::string LowerCase(std::string_view text) {
  std::string lower(text);
  const bool ascii = std::all_of(text.begin(), text.end(),
                                 [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  if (ascii) {
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    return lower;
  }
  arrow::StringBuilder builder;
  std::shared_ptr<arrow::Array> array;
  if (!InitializeCompute().ok() || !builder.Append(text).ok() || !builder.Finish(&array).ok()) {
    return lower;
  }
  const auto result = arrow::compute::CallFunction("utf8_lower", {arrow::Datum(array)});
  if (!result.ok()) return lower;  // No UTF-8: only its exact spelling is found.
  return static_cast<const arrow::StringArray&>(*result->make_array()).GetString(0);
}

}  // namespace

int FindName(int count, const std::function<std::string_view(int)>& name, std::string_view wanted) {
  int found = kNameMissing;
  for (int i = 0; i < count; ++i) {
    if (name(i) == wanted) {
      if (found >= 0) return kNameAmbiguous;
      found = i;
    }
  }
  if (found >= 0) return found;
  const std::string lower = LowerCase(wanted);
  for (int i = 0; i < count; ++i) {
    if (LowerCase(name(i)) == lower) {
      if (found >= 0) return kNameAmbiguous;
      found = i;
    }
  }
  return found;
}

}  // namespace ariadne::source
