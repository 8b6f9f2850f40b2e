#pragma once

#include <string>
#include <string_view>

#include "storage/object_store.h"

namespace ariadne::storage {

/// Where everything of one index lies; every path is built here. See docs/storage-format.md.
class IndexLayout {
 public:
  /// `root`: the storage root's folder. Throws InvalidArgument for a name that is blank, holds
  /// '/', '\' or NUL, begins with '.', or is a ".." segment.
  IndexLayout(ObjectRef root, std::string name);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const ObjectRef& root() const { return root_; }
  [[nodiscard]] ObjectRef folder() const;          ///< indexes/{name}
  [[nodiscard]] ObjectRef metadata() const;        ///< indexes/{name}/metadata.json
  [[nodiscard]] ObjectRef update_lock() const;     ///< indexes/{name}/.update.lock
  [[nodiscard]] ObjectRef file_list_lock() const;  ///< indexes/{name}/.filelist.lock
  [[nodiscard]] ObjectRef main_index() const;      ///< indexes/{name}/index
  [[nodiscard]] ObjectRef staging() const;         ///< indexes/{name}/staging
  [[nodiscard]] ObjectRef large_index(const std::string& column) const;
  [[nodiscard]] ObjectRef native() const;     ///< indexes/{name}/native
  [[nodiscard]] ObjectRef file_list() const;  ///< filelists/[ariadne_index] {name}

  static ObjectRef IndexesFolder(const ObjectRef& root);    ///< indexes
  static ObjectRef FileListsFolder(const ObjectRef& root);  ///< filelists
  static ObjectRef RowGroupIndexes(const ObjectRef& root);  ///< native/row_group_indexes
  /// Whether a decoded URL lies in a folder that a root keeps.
  static bool IsOwn(const ObjectRef& root, std::string_view url);
  /// `folder` + '/' + `name`.
  static ObjectRef Join(const ObjectRef& folder, const std::string& name);

 private:
  ObjectRef root_;
  std::string name_;
};

}  // namespace ariadne::storage
