#include "rowgroup/file_identity.h"

#include "storage/arrow_io.h"
#include "storage/object_store.h"

namespace ariadne::rowgroup {

namespace {

std::optional<FileIdentity> Identity(const std::string& uri,
                                     const std::optional<storage::ObjectMeta>& meta) {
  if (!meta) return std::nullopt;
  return FileIdentity{
      .uri = uri, .size = meta->size, .modified_ms = meta->modified_ms, .etag = meta->etag};
}

}  // namespace

std::optional<FileIdentity> IdentityOfOpened(const arrow::io::RandomAccessFile& input,
                                             const std::string& uri) {
  return Identity(uri, storage::SettledMeta(input));
}

std::optional<FileIdentity> IdentityNow(const storage::Stores& stores, const std::string& uri) {
  const auto object = stores.Resolve(uri);
  return Identity(uri, object.store->Head(object.path));
}

}  // namespace ariadne::rowgroup
