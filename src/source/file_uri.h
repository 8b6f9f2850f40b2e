#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ariadne/options.h"
#include "storage/object_store.h"

namespace ariadne::source {

/// The one spelling that a file has in our tables and that all comparisons use: what Spark's
/// `input_file_name()` gives. `file:///` + absolute path, or scheme://authority/key, escaped as
/// docs/storage-format.md says ("Tables"); `file:/x`, `file:///x`, `/x`, relative paths, `s3://`
/// and `s3a://` (which stays as given) normalise; `//`, `.` and `..` segments of local paths
/// resolve. Idempotent. Throws InvalidArgument. A name that begins with a scheme is taken as
/// already escaped, a plain path is not.
std::string CanonicalUri(std::string_view name);

/// Decoded URL of a stored name, for `Stores::Resolve`: escapes are decoded exactly once in a name
/// with a scheme; a plain path is taken as it is.
std::string DecodedUrl(std::string_view stored);

/// Applies the first mapping whose `from` is a prefix of the decoded URL (`s3a://` and `s3://`
/// compare equal); returns the decoded URL to read. Whole folders are compared: `/srv/a` is no
/// prefix of `/srv/ab`.
std::string MapPath(std::string_view stored, const std::vector<PathMapping>& mappings);

/// Expands a path, URI, directory (every data file below it: names that begin with '_' or '.' and
/// empty markers are left out) or glob (`*`, `?`, `[..]`, `{a,b}`, `**`) to canonical URIs, sorted.
/// A name that exists as it stands is never taken as a glob, and neither is a character that a URI
/// escapes. Throws FileNotFound; InvalidArgument for a glob over the whole local disk.
std::vector<std::string> Expand(const std::string& name, const storage::Stores& stores,
                                const std::vector<PathMapping>& mappings);

/// Hive partition values in the folders of a URI: (column, value), values decoded,
/// `__HIVE_DEFAULT_PARTITION__` and the empty value as "null" flag. In path order. As in Spark, the
/// run of such folders nearest to the file counts.
struct PartitionValue {
  std::string column;
  std::string value;
  bool is_null = false;
};
std::vector<PartitionValue> PartitionValues(std::string_view stored);

}  // namespace ariadne::source
