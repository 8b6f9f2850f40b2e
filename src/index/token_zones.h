#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "storage/object_store.h"

namespace ariadne::index {

/// The zone in which timestamp tokens of each bloom filter that we wrote were made, kept under
/// `native/`: the JVM library writes rows of the same index under a zone that nobody records, so a
/// filter that is not listed here is "maybe" for a timestamp column unless a zone is configured.
class TokenZones {
 public:
  struct Entry {
    std::string filename;
    std::string column;
    uint64_t filter_checksum = 0;  ///< xxh3 of the filter's bytes.
    std::string zone;
  };
  static uint64_t Checksum(std::string_view filter_bytes);
  /// Empty where nothing was recorded or the record cannot be read.
  static TokenZones Load(const storage::ObjectRef& native_folder);
  [[nodiscard]] std::optional<std::string> ZoneOf(std::string_view filename,
                                                  std::string_view column,
                                                  uint64_t filter_checksum) const;
  /// Adds entries; called before the rows that hold the filters are committed, under the update
  /// lock.
  static void Record(const storage::ObjectRef& native_folder, const std::vector<Entry>& entries);

  TokenZones();
  ~TokenZones();
  TokenZones(TokenZones&&) noexcept;
  TokenZones& operator=(TokenZones&&) noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ariadne::index
