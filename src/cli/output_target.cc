#include "cli/output_target.h"

#include <filesystem>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "source/file_uri.h"
#include "storage/object_store.h"

namespace ariadne::cli {
namespace {

constexpr std::string_view kLocal = "file://";

/// Where names lead: two that lead to one object give the same text.
class Places {
 public:
  explicit Places(std::vector<PathMapping> mappings) : mappings_(std::move(mappings)) {}

  std::string Of(const std::string& name) {
    std::string url = source::MapPath(name, mappings_);
    if (url.starts_with("s3a://")) url.erase(2, 1);
    if (!url.starts_with(kLocal)) return url;
    const std::filesystem::path path(url.substr(kLocal.size()));
    // Of the file itself a link would be replaced, not what it leads to.
    const auto [folder, is_new] = folders_.try_emplace(path.parent_path().string());
    if (is_new) {
      std::error_code error;
      folder->second = std::filesystem::weakly_canonical(path.parent_path(), error).string();
      if (error) folder->second = folder->first;
    }
    return std::string(kLocal) + folder->second + "/" + path.filename().string();
  }

 private:
  std::vector<PathMapping> mappings_;
  std::map<std::string, std::string> folders_;
};

bool IsBelow(const std::string& place, std::string folder) {
  while (folder.ends_with('/')) folder.pop_back();
  return place.starts_with(folder + "/");
}

/// Where rows are written: there nothing is mapped.
std::string PlaceOfOutput(const std::string& output) {
  return Places({}).Of(source::CanonicalUri(output));
}

[[noreturn]] void Refuse(const std::string& output, const std::string& why) {
  throw InvalidArgument("-o " + output + " " + why + ": write the rows under another name");
}

}  // namespace

void CheckOutput(const std::string& output, const Lake& lake, const GlobalArguments& global) {
  const std::string place = PlaceOfOutput(output);
  for (const char* part : {"indexes", "filelists"}) {
    const std::string inside = PlaceOfOutput(global.root + "/" + part + "/x");
    if (IsBelow(place, inside.substr(0, inside.size() - 2)))
      Refuse(output, "lies among the indexes");
  }
  if (place.starts_with(kLocal)) {
    const auto folder = std::filesystem::path(place.substr(kLocal.size())).parent_path();
    std::error_code unknown;
    if (!std::filesystem::exists(folder, unknown) && !unknown) {
      throw InvalidArgument("-o " + output + " lies in " + folder.string() +
                            ", which does not exist: make that folder, or name another");
    }
  }
  // All lists of files are read to know who tracks it: only where there is something to replace.
  const storage::Stores stores(global.options.storage);
  const storage::ObjectRef object = stores.Resolve(place);
  if (!object.store->Head(object.path)) return;
  std::vector<std::string> names = {output};
  if (place.starts_with(kLocal)) names.push_back(place.substr(kLocal.size()));
  for (const std::string& name : names) {
    const std::vector<std::string> trackers = lake.Find(name);
    if (!trackers.empty()) {
      Refuse(output, "is a file that index \"" + trackers.front() + "\" tracks");
    }
  }
}

void CheckJoinOutput(const std::string& output, const std::string& keys_file, const Lake& lake,
                     const Index& index, const GlobalArguments& global) {
  const std::string place = PlaceOfOutput(output);
  Places places(global.options.path_map);
  if (places.Of(source::CanonicalUri(keys_file)) == place) {
    Refuse(output, "is the file of the keys");
  }
  for (const TrackedFile& file : index.Files()) {
    const std::string tracked = places.Of(file.uri);
    if (tracked == place) Refuse(output, "is a file that index \"" + index.name() + "\" tracks");
    // A list of the JVM library may name folders, and everything in them.
    if (IsBelow(place, tracked)) {
      Refuse(output, "lies in " + file.uri + ", which the index tracks whole");
    }
  }
  CheckOutput(output, lake, global);
}

}  // namespace ariadne::cli
