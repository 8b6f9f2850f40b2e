#include "rowgroup/file_identity.h"

#include "storage/object_store.h"

namespace ariadne::rowgroup {

std::optional<FileIdentity> IdentityNow(const storage::Stores& stores, const std::string& uri) {
  const auto object = stores.Resolve(uri);
  const auto meta = object.store->Head(object.path);
  if (!meta) return std::nullopt;
  return FileIdentity{
      .uri = uri, .size = meta->size, .modified_ms = meta->modified_ms, .etag = meta->etag};
}

}  // namespace ariadne::rowgroup
