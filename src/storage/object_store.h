#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/buffer.h>

struct ArStore;  // delta/include/ariadne_delta.h

namespace ariadne::storage {

struct ObjectMeta {
  std::string path;         ///< Decoded key, without leading slash.
  int64_t size = 0;         ///< Bytes.
  int64_t modified_ms = 0;  ///< Milliseconds since the epoch.
  std::string etag;         ///< Empty where the store has none.
};

/// What a store did since it was opened.
struct IoCounters {
  int64_t requests = 0;
  int64_t bytes_read = 0;
  int64_t bytes_written = 0;
};

/// The objects of one URL authority (`file://`, `s3://bucket`): the only way Ariadne touches
/// storage, the Delta kernel included. Thread-safe.
///
/// Paths are keys as they are, decoded, without a leading slash: on a local disk `srv/a b.parquet`
/// is `/srv/a b.parquet`. Local writes are atomic and fsynced, directories included, and remove the
/// Hadoop checksum neighbour (`.{name}.crc`) of what they replace.
/// All calls throw StorageError, ObjectNotFound where a missing object is an error.
class ObjectStore {
 public:
  /// `url`: any URL of the authority; only scheme and authority count.
  static std::shared_ptr<ObjectStore> Open(const std::string& url,
                                           const std::map<std::string, std::string>& options);
  ~ObjectStore();
  ObjectStore(const ObjectStore&) = delete;
  ObjectStore& operator=(const ObjectStore&) = delete;

  /// "file:///" or "s3://bucket/": `base_url() + path` is the (decoded) URL of an object.
  [[nodiscard]] const std::string& base_url() const { return base_url_; }
  [[nodiscard]] bool is_local() const;

  [[nodiscard]] std::optional<ObjectMeta> Head(const std::string& path) const;
  /// The same of what an open file of a local store is, by its descriptor. Throws StorageError.
  [[nodiscard]] ObjectMeta MetaOfOpen(const std::string& path, int descriptor) const;
  /// The whole object. Throws ObjectNotFound.
  [[nodiscard]] std::shared_ptr<arrow::Buffer> Get(const std::string& path,
                                                   std::string* etag = nullptr) const;
  /// `length` bytes from `offset`; fewer only at the end of the object. Throws ObjectNotFound.
  [[nodiscard]] std::shared_ptr<arrow::Buffer> GetRange(const std::string& path, int64_t offset,
                                                        int64_t length) const;
  void Put(const std::string& path, std::string_view data);
  /// false: the object exists, nothing was written.
  bool PutIfAbsent(const std::string& path, std::string_view data);
  /// Replaces the object that `Get` returned with `etag`; false: it has changed or is gone.
  bool PutIfMatch(const std::string& path, std::string_view data, const std::string& etag);
  /// All objects whose key begins with folder `prefix` ("" or without trailing slash), at any
  /// depth, sorted by path. A missing folder is an empty listing.
  [[nodiscard]] std::vector<ObjectMeta> List(const std::string& prefix) const;
  /// Names of folders and objects directly below folder `prefix`; folders end in '/'.
  [[nodiscard]] std::vector<std::string> ListNames(const std::string& prefix) const;
  /// A missing object is no error.
  void Delete(const std::string& path);
  /// Everything below the folder, and on a local disk the folder itself.
  void DeleteFolder(const std::string& prefix);

  [[nodiscard]] IoCounters counters() const;
  [[nodiscard]] ArStore* handle() const { return handle_; }

 private:
  explicit ObjectStore(ArStore* handle, std::string base_url);
  ArStore* handle_;
  std::string base_url_;
};

/// An object, addressed.
struct ObjectRef {
  std::shared_ptr<ObjectStore> store;
  std::string path;
};

/// Opens each authority's store once and keeps it. Thread-safe.
class Stores {
 public:
  explicit Stores(std::map<std::string, std::string> options = {});
  ~Stores();
  /// `url`: decoded absolute URL (`file:///srv/a b.parquet`, `s3://b/k`; `s3a://` is `s3://`).
  [[nodiscard]] ObjectRef Resolve(const std::string& url) const;
  /// Sum over all stores.
  [[nodiscard]] IoCounters counters() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ariadne::storage
