#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <arrow/io/type_fwd.h>

namespace ariadne::storage {
class Stores;
}

namespace ariadne::rowgroup {

/// The bytes that an index speaks of. A file that is overwritten is another one: its size, its tag
/// or its time differs, and nothing that is known of the old one is asked.
struct FileIdentity {
  std::string uri;          ///< Canonical (source::CanonicalUri).
  int64_t size = 0;         ///< Bytes.
  int64_t modified_ms = 0;  ///< Milliseconds since the epoch; looked at where there is no tag.
  std::string etag;         ///< Empty where the store has none.

  friend bool operator==(const FileIdentity&, const FileIdentity&) = default;
};

/// What an input of a local disk has opened under a URI; see storage::SettledMeta.
std::optional<FileIdentity> IdentityOfOpened(const arrow::io::RandomAccessFile& input,
                                             const std::string& uri);

/// What a file is now, by one look at its store; nullopt: it is not there. Throws StorageError,
/// InvalidArgument for a URL of no known kind.
std::optional<FileIdentity> IdentityNow(const storage::Stores& stores, const std::string& uri);

}  // namespace ariadne::rowgroup
