#include "source/file_uri.h"

#include <algorithm>

#include "source/lake_name.h"

namespace ariadne::source {

namespace {

constexpr std::string_view kNullPartition = "__HIVE_DEFAULT_PARTITION__";

// Spark escapes characters of partition values in folder names, on top of what a URI escapes.
PartitionValue ParseFolder(std::string_view folder) {
  const size_t equals = folder.find('=');
  PartitionValue result;
  result.column = Unescape(folder.substr(0, equals));
  const std::string_view value = folder.substr(equals + 1);
  result.is_null = value.empty() || value == kNullPartition;
  if (!result.is_null) result.value = Unescape(value);
  return result;
}

bool IsPartitionFolder(std::string_view folder) {
  const size_t equals = folder.find('=');
  return equals != std::string_view::npos && equals > 0;
}

// `s3a` and `s3` name the same objects.
std::string ComparableUrl(const LakeName& name) {
  return (name.scheme == "s3a" ? "s3" : name.scheme) + "://" + name.authority + name.path;
}

}  // namespace

std::string CanonicalUri(std::string_view name) {
  const LakeName parsed = ParseName(name);
  return parsed.scheme + "://" + parsed.authority + EscapePath(parsed.path);
}

std::string DecodedUrl(std::string_view stored) { return ParseName(stored).Url(); }

std::string MapPath(std::string_view stored, const std::vector<PathMapping>& mappings) {
  const LakeName name = ParseName(stored);
  const std::string url = ComparableUrl(name);
  for (const PathMapping& mapping : mappings) {
    std::string from = ComparableUrl(ParseName(mapping.from));
    while (from.ends_with('/')) from.pop_back();
    if (!url.starts_with(from)) continue;
    const std::string_view rest = std::string_view(url).substr(from.size());
    // `/srv/a` is no prefix of `/srv/ab`: a folder is mapped, not letters of its name.
    if (!rest.empty() && rest[0] != '/') continue;
    std::string to = ParseName(mapping.to).Url();
    while (to.ends_with('/')) to.pop_back();
    return to + std::string(rest);
  }
  return name.Url();
}

std::vector<PartitionValue> PartitionValues(std::string_view stored) {
  const std::string path = ParseName(stored).path;
  std::vector<std::string_view> folders;
  for (size_t begin = 0; begin < path.size();) {
    const size_t end = path.find('/', begin);
    if (end == std::string::npos) break;  // The file's own name.
    folders.push_back(std::string_view(path).substr(begin, end - begin));
    begin = end + 1;
  }
  // As Spark looks for them: upwards from the file, until a folder above a partition is none.
  std::vector<PartitionValue> values;
  for (auto folder = folders.rbegin(); folder != folders.rend(); ++folder) {
    if (IsPartitionFolder(*folder)) {
      values.push_back(ParseFolder(*folder));
    } else if (!values.empty()) {
      break;
    }
  }
  std::reverse(values.begin(), values.end());
  return values;
}

}  // namespace ariadne::source
