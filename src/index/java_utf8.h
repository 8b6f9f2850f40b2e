#pragma once

#include <string>
#include <string_view>

namespace ariadne::index {

/// True if the bytes are well-formed UTF-8 (RFC 3629).
bool IsUtf8(std::string_view bytes);

/// The UTF-8 of the string that Java decodes `bytes` to: the bytes themselves where they are
/// well-formed, else each ill-formed stretch replaced by U+FFFD as java.lang.String does.
class JavaUtf8 {
 public:
  explicit JavaUtf8(std::string_view bytes);
  // NOLINTNEXTLINE(google-explicit-constructor): a token is read as a view.
  operator std::string_view() const { return replaced_.empty() ? bytes_ : replaced_; }

 private:
  std::string_view bytes_;
  std::string replaced_;
};

}  // namespace ariadne::index
