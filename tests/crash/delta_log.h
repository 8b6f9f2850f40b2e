#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <arrow/type_fwd.h>

namespace ariadne::testing {

/// Writes the log of a Delta table with deletion vectors into the folder of its data files, as the
/// protocol says.
class DeltaLog {
 public:
  /// Names of live files, and the rows deleted from each, ascending.
  using Files = std::map<std::string, std::vector<int64_t>>;

  DeltaLog(std::filesystem::path folder, const arrow::Schema& schema);

  /// The table's next version has these files; whatever else is in the folder is of its history.
  void Commit(const Files& files);

 private:
  void Write(const std::string& actions);

  std::filesystem::path folder_;
  int version_ = 0;
  Files files_;
};

}  // namespace ariadne::testing
