#include "cli/output_target.h"

#include <filesystem>
#include <map>
#include <string_view>
#include <vector>

#include "source/file_uri.h"

namespace ariadne::cli {
namespace {

/// Where names lead: two that lead to one object give the same text.
class Places {
 public:
  explicit Places(const std::vector<PathMapping>& mappings) : mappings_(mappings) {}

  std::string Of(const std::string& name) {
    std::string url = source::MapPath(name, mappings_);
    if (url.starts_with("s3a://")) url.erase(2, 1);
    constexpr std::string_view kLocal = "file://";
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
  const std::vector<PathMapping>& mappings_;
  std::map<std::string, std::string> folders_;
};

bool IsBelow(const std::string& place, std::string folder) {
  while (folder.ends_with('/')) folder.pop_back();
  return place.starts_with(folder + "/");
}

}  // namespace

void CheckOutput(const std::string& output, const std::string& keys_file, const Lake& lake,
                 const Index& index, const GlobalArguments& global) {
  const auto refuse = [&output](const std::string& why) {
    throw InvalidArgument("-o " + output + " " + why + ": write the rows under another name");
  };
  const std::vector<PathMapping> none;
  Places as_written(none);  // Nothing is mapped where rows are written.
  const std::string place = as_written.Of(source::CanonicalUri(output));
  Places places(global.options.path_map);
  if (places.Of(source::CanonicalUri(keys_file)) == place) refuse("is the file of the keys");
  for (const TrackedFile& file : index.Files()) {
    const std::string tracked = places.Of(file.uri);
    if (tracked == place) refuse("is a file that index \"" + index.name() + "\" tracks");
    // A list of the JVM library may name folders, and everything in them.
    if (IsBelow(place, tracked)) refuse("lies in " + file.uri + ", which the index tracks whole");
  }
  const std::vector<std::string> others = lake.Find(output);
  if (!others.empty()) refuse("is a file that index \"" + others.front() + "\" tracks");
  for (const char* part : {"indexes", "filelists"}) {
    const std::string folder = as_written.Of(source::CanonicalUri(global.root + "/" + part + "/x"));
    if (IsBelow(place, folder.substr(0, folder.size() - 2))) refuse("lies among the indexes");
  }
}

}  // namespace ariadne::cli
