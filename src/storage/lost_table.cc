#include "storage/lost_table.h"

#include <string_view>
#include <vector>

namespace ariadne::storage {

namespace {

constexpr std::string_view kFileList = "[ariadne_index] ";

}  // namespace

std::string HowToBuildAgain(const ObjectRef& folder) {
  // The names of the last folders on the path, the last one first.
  std::vector<std::string_view> names;
  std::string_view path = folder.path;
  while (names.size() < 3 && !path.empty()) {
    const size_t slash = path.rfind('/');
    names.push_back(path.substr(slash == std::string_view::npos ? 0 : slash + 1));
    path = slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
  }
  names.resize(3);
  const std::string remove = "remove the folder " + folder.store->base_url() + folder.path;
  if (names[0].starts_with(kFileList)) {
    const std::string index(names[0].substr(kFileList.size()));
    return "It is the list of the files of index '" + index + "': " + remove +
           ", and 'ariadne add " + index + " PATH...' tracks them again";
  }
  if (names[1] == "native" && names[0] == "row_group_indexes") {
    return "It is a part of the row-group indexes: 'ariadne rowgroups drop --all' removes them, "
           "and queries build them again";
  }
  if (names[1] == "native") {
    return "It holds notes of index '" + std::string(names[2]) + "': " + remove +
           ", and run the command again";
  }
  const std::string index(names[names[1] == "large_indexes" ? 2 : 1]);
  return "It is a part of index '" + index + "' itself: " + remove + ", and 'ariadne update " +
         index + "' builds it again";
}

std::string LossOf(const Error& error, const ObjectRef& folder) {
  const bool lost = dynamic_cast<const InvalidFile*>(&error) != nullptr ||
                    dynamic_cast<const ObjectNotFound*>(&error) != nullptr;
  std::string loss = error.what();
  while (loss.ends_with('.')) loss.pop_back();
  return lost ? loss + ". " + HowToBuildAgain(folder) : loss;
}

}  // namespace ariadne::storage
