#include "storage/layout.h"

#include <algorithm>
#include <utility>

#include "ariadne/errors.h"

namespace ariadne::storage {

namespace {

void CheckName(const std::string& name) {
  const bool blank = std::all_of(name.begin(), name.end(),
                                 [](unsigned char c) { return c == ' ' || (c >= 9 && c <= 13); });
  const char* why = nullptr;
  if (blank) {
    why = "it is blank";
  } else if (name.front() == '.') {
    why = "it begins with '.'";
  } else if (name.find_first_of(std::string_view("/\\\0", 3)) != std::string::npos) {
    why = "it holds '/', '\\' or NUL";
  }
  if (why != nullptr) {
    throw InvalidArgument("'" + name + "' cannot name an index: " + why);
  }
}

}  // namespace

IndexLayout::IndexLayout(ObjectRef root, std::string name)
    : root_(std::move(root)), name_(std::move(name)) {
  CheckName(name_);
}

ObjectRef IndexLayout::Join(const ObjectRef& folder, const std::string& name) {
  return {folder.store, folder.path.empty() ? name : folder.path + "/" + name};
}

ObjectRef IndexLayout::IndexesFolder(const ObjectRef& root) { return Join(root, "indexes"); }

ObjectRef IndexLayout::FileListsFolder(const ObjectRef& root) { return Join(root, "filelists"); }

ObjectRef IndexLayout::RowGroupIndexes(const ObjectRef& root) {
  return Join(Join(root, "native"), "row_group_indexes");
}

bool IndexLayout::IsOwn(const ObjectRef& root, std::string_view url) {
  for (const auto& folder : {IndexesFolder(root), FileListsFolder(root), RowGroupIndexes(root)}) {
    if (url.starts_with(folder.store->base_url() + folder.path + "/")) return true;
  }
  return false;
}

ObjectRef IndexLayout::folder() const { return Join(IndexesFolder(root_), name_); }
ObjectRef IndexLayout::metadata() const { return Join(folder(), "metadata.json"); }
ObjectRef IndexLayout::update_lock() const { return Join(folder(), ".update.lock"); }
ObjectRef IndexLayout::file_list_lock() const { return Join(folder(), ".filelist.lock"); }
ObjectRef IndexLayout::main_index() const { return Join(folder(), "index"); }
ObjectRef IndexLayout::staging() const { return Join(folder(), "staging"); }

ObjectRef IndexLayout::large_index(const std::string& column) const {
  return Join(Join(folder(), "large_indexes"), column);
}

ObjectRef IndexLayout::native() const { return Join(folder(), "native"); }

ObjectRef IndexLayout::file_list() const {
  return Join(FileListsFolder(root_), "[ariadne_index] " + name_);
}

}  // namespace ariadne::storage
