#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ariadne::source {

/// Hadoop's globs: `*` and `?` within a segment of a path, `[a-c]`, `[^a]`, `{a,b}`, `\` before a
/// character that stands for itself; and `**` for any number of segments.

/// True if an unescaped `*`, `?`, `[` or `{` stands in it.
bool IsGlob(std::string_view pattern);
/// The pattern without its escapes; what it names where it is no glob.
std::string LiteralOf(std::string_view pattern);
/// One pattern for each choice in braces.
std::vector<std::string> ExpandBraces(const std::string& pattern);
/// `pattern` and `text` hold no '/'. A character is a code point.
bool MatchesSegment(std::string_view pattern, std::string_view text);
/// True if the pattern names the file at `path`, or a folder that it lies in. Segments that begin
/// with '.' or '_' (and hold no '=') match only a pattern that begins so, and below a folder that
/// was named they are left out.
bool MatchesPath(const std::vector<std::string_view>& pattern,
                 const std::vector<std::string_view>& path);
/// True for the name of a file or folder that readers of a lake leave out.
bool IsHidden(std::string_view segment);
std::vector<std::string_view> SplitPath(std::string_view path);

}  // namespace ariadne::source
