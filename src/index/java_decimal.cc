#include "index/java_decimal.h"

namespace ariadne::index {

std::string JavaDecimalToString(std::string_view unscaled, int scale) {
  if (scale == 0) return std::string(unscaled);
  std::string text;
  if (unscaled[0] == '-') {
    text = "-";
    unscaled.remove_prefix(1);
  }
  const auto digits = static_cast<int>(unscaled.size());
  const int adjusted = digits - 1 - scale;
  if (scale > 0 && adjusted >= -6) {
    const int before_point = digits - scale;
    if (before_point > 0) {
      text += unscaled.substr(0, before_point);
      text += '.';
      text += unscaled.substr(before_point);
    } else {
      text += "0.";
      text.append(-before_point, '0');
      text += unscaled;
    }
    return text;
  }
  text += unscaled[0];
  if (digits > 1) {
    text += '.';
    text += unscaled.substr(1);
  }
  if (adjusted != 0) {
    text += 'E';
    if (adjusted > 0) text += '+';
    text += std::to_string(adjusted);
  }
  return text;
}

}  // namespace ariadne::index
