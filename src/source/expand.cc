#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "ariadne/errors.h"
#include "source/file_uri.h"
#include "source/glob.h"
#include "source/lake_name.h"
#include "storage/object_store.h"

namespace ariadne::source {

namespace {

std::string CanonicalOf(const LakeName& name) {
  return name.scheme + "://" + name.authority + EscapePath(name.path);
}

// Objects that stand for a folder, or are still being copied by Hadoop.
bool IsMarker(const storage::ObjectMeta& object) {
  const std::string_view path = object.path;
  if (path.empty() || path.ends_with('/') || path.ends_with("_$folder$") ||
      path.ends_with("._COPYING_")) {
    return true;
  }
  const std::string_view name = path.substr(path.rfind('/') + 1);
  return object.size == 0 && name.find('.') == std::string_view::npos;
}

// A folder without anything below it, which an object store would not know.
bool IsEmptyFolder(const storage::ObjectRef& object) {
  std::error_code ignored;
  return object.store->is_local() && std::filesystem::is_directory("/" + object.path, ignored);
}

// The folder below which files are looked for, by its own name and where it is read.
class Folder {
 public:
  Folder(LakeName name, const storage::Stores& stores, const std::vector<PathMapping>& mappings)
      : name_(std::move(name)), object_(stores.Resolve(MapPath(CanonicalOf(name_), mappings))) {
    while (name_.path.ends_with('/')) name_.path.pop_back();
    while (object_.path.ends_with('/')) object_.path.pop_back();
  }

  // Calls `visit` with each object's path below the folder.
  template <typename Visit>
  void ForEach(const Visit& visit) const {
    for (const storage::ObjectMeta& object : object_.store->List(object_.path)) {
      if (IsMarker(object)) continue;
      const size_t skip = object_.path.empty() ? 0 : object_.path.size() + 1;
      if (object.path.size() > skip) visit(std::string_view(object.path).substr(skip));
    }
  }

  // Path below the folder of an object that ForEach leaves out and that is no folder; empty: none.
  [[nodiscard]] std::string AnyMarker() const {
    for (const storage::ObjectMeta& object : object_.store->List(object_.path)) {
      const size_t skip = object_.path.empty() ? 0 : object_.path.size() + 1;
      if (object.path.size() > skip && !object.path.ends_with('/') && IsMarker(object)) {
        return object.path.substr(skip);
      }
    }
    return "";
  }

  [[nodiscard]] std::string UriOf(std::string_view below) const {
    LakeName file = name_;
    file.path += '/';
    file.path += below;
    return CanonicalOf(file);
  }

 private:
  LakeName name_;
  storage::ObjectRef object_;
};

// The name as a glob: what a URL escapes stands for itself.
std::string GlobText(std::string_view name) {
  const size_t colon = SchemeEnd(name);
  std::string text;
  for (size_t i = 0; i < name.size(); ++i) {
    const std::string decoded =
        colon != std::string_view::npos && name[i] == '%' ? Unescape(name.substr(i, 3)) : "";
    if (decoded.size() == 1 && std::string_view("*?[]{}\\").find(decoded) != std::string::npos) {
      text += "\\";
      text += decoded;
      i += 2;
    } else {
      text.push_back(name[i]);
    }
  }
  return text;
}

void AddMatches(const LakeName& pattern, const storage::Stores& stores,
                const std::vector<PathMapping>& mappings, std::set<std::string>* found) {
  const std::vector<std::string_view> segments = SplitPath(pattern.path);
  LakeName folder{pattern.scheme, pattern.authority, ""};
  size_t literal = 0;
  while (literal < segments.size() && !IsGlob(segments[literal])) {
    folder.path += '/';
    folder.path += LiteralOf(segments[literal++]);
  }
  if (folder.path.empty()) {
    if (pattern.scheme == "file") {
      throw InvalidArgument("'" + pattern.path +
                            "' would search the whole disk: name a folder "
                            "before the first wildcard");
    }
    folder.path.push_back('/');
  }
  const std::vector<std::string_view> rest(segments.begin() + static_cast<std::ptrdiff_t>(literal),
                                           segments.end());
  const Folder below(folder, stores, mappings);
  below.ForEach([&](std::string_view path) {
    if (MatchesPath(rest, SplitPath(path))) found->insert(below.UriOf(path));
  });
  // Braces may have left a plain name.
  if (!rest.empty()) return;
  const storage::ObjectRef object = stores.Resolve(MapPath(CanonicalOf(folder), mappings));
  if (object.store->Head(object.path)) found->insert(CanonicalOf(folder));
}

}  // namespace

std::vector<std::string> Expand(const std::string& name, const storage::Stores& stores,
                                const std::vector<PathMapping>& mappings) {
  const LakeName parsed = ParseName(name);
  if (parsed.scheme == "file" && parsed.path == "/") {
    throw InvalidArgument("'" + name + "' is the whole disk: name the folder of the lake");
  }
  const std::string uri = CanonicalOf(parsed);
  const storage::ObjectRef object = stores.Resolve(MapPath(uri, mappings));
  if (!object.path.empty() && !name.ends_with('/') && object.store->Head(object.path)) return {uri};

  std::set<std::string> found;
  bool is_folder = false;
  const Folder folder(parsed, stores, mappings);
  folder.ForEach([&](std::string_view path) {
    is_folder = true;
    if (MatchesPath({}, SplitPath(path))) found.insert(folder.UriOf(path));
  });
  if (is_folder && found.empty()) {
    throw FileNotFound("The folder '" + name +
                       "' holds no data file: names that begin with '_' or "
                       "'.' are left out. Name the files themselves if they are meant");
  }
  const std::string glob = GlobText(name);
  if (!is_folder && IsGlob(glob)) {
    for (const std::string& pattern : ExpandBraces(glob)) {
      AddMatches(ParseName(pattern), stores, mappings, &found);
    }
    if (found.empty()) {
      throw FileNotFound("No file matches '" + name +
                         "'. Look into the folder before its first wildcard; a shell needs quotes "
                         "around the name");
    }
  }
  if (const std::string marker = found.empty() ? folder.AnyMarker() : ""; !marker.empty()) {
    throw FileNotFound("The folder '" + name +
                       "' holds no data file: empty files without a suffix, and those that Hadoop "
                       "calls '._COPYING_' or '_$folder$', are left out, such as '" +
                       marker + "'. Name the files themselves if they are meant");
  }
  if (found.empty() && IsEmptyFolder(object)) {
    throw FileNotFound("The folder '" + name + "' is empty: there is no file in it");
  }
  if (found.empty()) {
    throw FileNotFound("There is no file or folder '" + name + "' (looked for at " +
                       object.store->base_url() + object.path + "). Check the name");
  }
  return {found.begin(), found.end()};
}

}  // namespace ariadne::source
