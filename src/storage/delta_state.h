#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include <nlohmann/json.hpp>

#include "storage/delta_table.h"
#include "storage/store_call.h"

namespace ariadne::storage {

struct DeltaTable::State {
  ObjectRef folder;
  ArTable* table = nullptr;
  int64_t version = 0;
  nlohmann::ordered_json meta_data;  ///< The metaData action.
  nlohmann::ordered_json protocol;   ///< The protocol action.
  std::string schema_json;
  bool plain = false;
  /// The commit file of `version` as the store describes it: a table that was removed and made
  /// again reaches the same version with another file. Absent where the log was cleaned up.
  std::optional<ObjectMeta> commit;

  std::once_flag files_once;
  std::vector<DataFile> files;
  std::unordered_map<std::string, std::string> logged_paths;  ///< Only those that differ.

  State() = default;
  ~State() { ar_table_free(table); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  void LoadFiles();
  [[nodiscard]] std::string url() const { return folder.store->base_url() + folder.path; }
};

namespace internal {

/// `{folder}/_delta_log/{version, 20 digits}.json`
ObjectRef CommitFile(const ObjectRef& folder, int64_t version);
/// Whether a Spark StructType JSON holds a timestamp_ntz at any depth.
bool HoldsTimestampNtz(const nlohmann::ordered_json& type);
int64_t NowMs();

}  // namespace internal
}  // namespace ariadne::storage
