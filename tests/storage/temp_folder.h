#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

#include "storage/layout.h"
#include "storage/object_store.h"

namespace ariadne::storage {

/// A folder of its own for one test, removed at the end.
class TempFolder {
 public:
  TempFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "ariadne-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  ~TempFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] ObjectRef Ref(const std::string& name = "") const {
    ObjectRef root = stores_.Resolve("file://" + path_.string());
    return name.empty() ? root : IndexLayout::Join(root, name);
  }

 private:
  std::filesystem::path path_;
  Stores stores_;
};

}  // namespace ariadne::storage
