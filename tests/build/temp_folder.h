#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

#include "storage/object_store.h"

namespace ariadne::testing {

/// A fresh folder, removed with all that it holds.
class TempFolder {
 public:
  TempFolder() {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "ariadne-build-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  ~TempFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] storage::ObjectRef Ref(const std::string& name) const {
    return stores_.Resolve("file://" + (path_ / name).string());
  }

 private:
  std::filesystem::path path_;
  storage::Stores stores_;
};

}  // namespace ariadne::testing
