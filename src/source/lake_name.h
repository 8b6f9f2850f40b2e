#pragma once

#include <string>
#include <string_view>

namespace ariadne::source {

/// A file's name taken apart; what the functions of file_uri.h share.
struct LakeName {
  std::string scheme;     ///< Lower case: "file", "s3a".
  std::string authority;  ///< Empty for "file".
  std::string path;       ///< Decoded, with the leading slash.

  /// "file:///srv/a b.parquet"
  [[nodiscard]] std::string Url() const { return scheme + "://" + authority + path; }
};

/// Where a name's scheme ends: the place of ':' in `s3://…` and `file:/…`, npos for a plain path.
size_t SchemeEnd(std::string_view name);

/// Takes a name apart; a relative path is taken from the working directory. `//`, `.` and `..`
/// of local paths are resolved. Throws InvalidArgument.
LakeName ParseName(std::string_view name);

/// Percent-escapes a path as java.net.URI does when Hadoop builds one from its parts: that is
/// where Spark's `input_file_name()` comes from.
std::string EscapePath(std::string_view path);

/// Decodes each %XX; a '%' without two hexadecimal digits behind it stays.
std::string Unescape(std::string_view text);

}  // namespace ariadne::source
