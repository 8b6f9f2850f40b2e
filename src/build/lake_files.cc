#include "build/lake_files.h"

#include "ariadne/errors.h"
#include "source/file_uri.h"
#include "storage/layout.h"

namespace ariadne::build {

std::vector<std::string> ExpandLake(const std::string& name, const storage::Stores& stores,
                                    const std::vector<PathMapping>& mappings,
                                    const storage::ObjectRef& root) {
  auto files = source::Expand(name, stores, mappings);
  std::erase_if(files, [&](const std::string& uri) {
    return storage::IndexLayout::IsOwn(root, source::MapPath(uri, mappings));
  });
  if (files.empty()) {
    throw FileNotFound("'" + name + "' holds no data file: all there is are the indexes of " +
                       root.store->base_url() + root.path);
  }
  return files;
}

}  // namespace ariadne::build
