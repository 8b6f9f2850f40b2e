#include "storage/object_store.h"

#include <mutex>
#include <utility>

#include <nlohmann/json.hpp>

#include "ariadne/errors.h"
#include "storage/store_call.h"

namespace ariadne::storage {
namespace internal {

bool Check(int status, char** message) {
  if (status == AR_OK) return true;
  if (status == AR_NOT_DONE) return false;
  const std::string text = *message == nullptr ? "the object store failed" : *message;
  ar_message_free(*message);
  *message = nullptr;
  switch (status) {
    case AR_NOT_FOUND:
      throw ObjectNotFound(text);
    case AR_INVALID_TABLE:
      throw InvalidDeltaTable(text);
    case AR_INVALID_ARGUMENT:
      throw InvalidArgument(text);
    default:
      throw StorageError(text);
  }
}

}  // namespace internal

using internal::Check;
using internal::OwnedBytes;
using internal::PackedReader;

namespace {

constexpr std::string_view kLocal = "file:///";

ObjectMeta Unpack(PackedReader& packed) {
  ObjectMeta meta;
  meta.path = packed.Text();
  meta.size = packed.Integer();
  meta.modified_ms = packed.Integer();
  meta.etag = packed.Text();
  return meta;
}

const uint8_t* Bytes(std::string_view data) {
  return reinterpret_cast<const uint8_t*>(data.data());
}

}  // namespace

ObjectStore::ObjectStore(ArStore* handle, std::string base_url)
    : handle_(handle), base_url_(std::move(base_url)) {}

ObjectStore::~ObjectStore() { ar_store_free(handle_); }

std::shared_ptr<ObjectStore> ObjectStore::Open(const std::string& url,
                                               const std::map<std::string, std::string>& options) {
  const std::string options_json = nlohmann::json(options).dump();
  ArStore* handle = nullptr;
  OwnedBytes base_url;
  char* message = nullptr;
  Check(ar_store_open(url.c_str(), options_json.c_str(), &handle, base_url.out(), &message),
        &message);
  return std::shared_ptr<ObjectStore>(new ObjectStore(handle, std::string(base_url.view())));
}

bool ObjectStore::is_local() const { return base_url_ == kLocal; }

std::optional<ObjectMeta> ObjectStore::Head(const std::string& path) const {
  OwnedBytes out;
  char* message = nullptr;
  const int status = ar_head(handle_, path.c_str(), out.out(), &message);
  if (status == AR_NOT_FOUND) {
    ar_message_free(message);
    return std::nullopt;
  }
  Check(status, &message);
  PackedReader packed(out.view());
  return Unpack(packed);
}

ObjectMeta ObjectStore::MetaOfOpen(const std::string& path, int descriptor) const {
  OwnedBytes out;
  char* message = nullptr;
  Check(ar_file_meta(handle_, path.c_str(), descriptor, out.out(), &message), &message);
  PackedReader packed(out.view());
  return Unpack(packed);
}

std::shared_ptr<arrow::Buffer> ObjectStore::Get(const std::string& path, std::string* etag) const {
  OwnedBytes out;
  OwnedBytes tag;
  char* message = nullptr;
  Check(ar_get(handle_, path.c_str(), out.out(), tag.out(), &message), &message);
  if (etag != nullptr) *etag = tag.view();
  return arrow::Buffer::FromString(std::string(out.view()));
}

std::shared_ptr<arrow::Buffer> ObjectStore::GetRange(const std::string& path, int64_t offset,
                                                     int64_t length) const {
  std::string data(static_cast<size_t>(length < 0 ? 0 : length), '\0');
  int64_t read = 0;
  char* message = nullptr;
  Check(ar_get_range(handle_, path.c_str(), offset, length, reinterpret_cast<uint8_t*>(data.data()),
                     &read, &message),
        &message);
  data.resize(static_cast<size_t>(read));
  return arrow::Buffer::FromString(std::move(data));
}

void ObjectStore::Put(const std::string& path, std::string_view data) {
  char* message = nullptr;
  Check(ar_put(handle_, path.c_str(), Bytes(data), data.size(), &message), &message);
}

bool ObjectStore::PutIfAbsent(const std::string& path, std::string_view data) {
  char* message = nullptr;
  return Check(ar_put_if_absent(handle_, path.c_str(), Bytes(data), data.size(), &message),
               &message);
}

bool ObjectStore::PutIfMatch(const std::string& path, std::string_view data,
                             const std::string& etag) {
  char* message = nullptr;
  return Check(
      ar_put_if_match(handle_, path.c_str(), Bytes(data), data.size(), etag.c_str(), &message),
      &message);
}

std::vector<ObjectMeta> ObjectStore::List(const std::string& prefix) const {
  OwnedBytes out;
  char* message = nullptr;
  Check(ar_list(handle_, prefix.c_str(), out.out(), &message), &message);
  std::vector<ObjectMeta> found;
  for (PackedReader packed(out.view()); !packed.done();) found.push_back(Unpack(packed));
  return found;
}

std::vector<std::string> ObjectStore::ListNames(const std::string& prefix) const {
  OwnedBytes out;
  char* message = nullptr;
  Check(ar_list_names(handle_, prefix.c_str(), out.out(), &message), &message);
  std::vector<std::string> names;
  for (PackedReader packed(out.view()); !packed.done();) names.push_back(packed.Text());
  return names;
}

void ObjectStore::Delete(const std::string& path) {
  char* message = nullptr;
  Check(ar_delete(handle_, path.c_str(), &message), &message);
}

void ObjectStore::DeleteFolder(const std::string& prefix) {
  char* message = nullptr;
  Check(ar_delete_folder(handle_, prefix.c_str(), &message), &message);
}

IoCounters ObjectStore::counters() const {
  IoCounters counters;
  ar_store_counters(handle_, &counters.requests, &counters.bytes_read, &counters.bytes_written);
  return counters;
}

struct Stores::State {
  std::map<std::string, std::string> options;
  std::mutex mutex;
  std::map<std::string, std::shared_ptr<ObjectStore>> open;  // by scheme and authority
};

Stores::Stores(std::map<std::string, std::string> options) : state_(std::make_unique<State>()) {
  state_->options = std::move(options);
}

Stores::~Stores() = default;

ObjectRef Stores::Resolve(const std::string& url) const {
  const size_t colon = url.find(':');
  if (colon == std::string::npos) {
    throw InvalidArgument("'" + url + "' is no URL: it has no scheme such as file: or s3:");
  }
  // "scheme://authority/key", "file:///key", and Java's "file:/key".
  size_t key = colon + 1;
  std::string authority = url.substr(0, key);
  if (url.compare(key, 2, "//") == 0) {
    const size_t slash = url.find('/', key + 2);
    const size_t end = slash == std::string::npos ? url.size() : slash;
    authority = url.substr(0, end);
    key = end;
  }
  while (key < url.size() && url[key] == '/') ++key;

  std::lock_guard lock(state_->mutex);
  auto& store = state_->open[authority];
  if (store == nullptr) {
    auto opened = ObjectStore::Open(url, state_->options);
    // Spellings of one authority share a store: s3a:// and s3://, file:/ and file:///.
    auto& canonical = state_->open[opened->base_url()];
    if (canonical == nullptr) canonical = opened;
    store = canonical;
  }
  return {store, url.substr(key)};
}

IoCounters Stores::counters() const {
  std::lock_guard lock(state_->mutex);
  IoCounters sum;
  for (const auto& [authority, store] : state_->open) {
    if (store == nullptr || authority != store->base_url()) continue;
    const IoCounters one = store->counters();
    sum.requests += one.requests;
    sum.bytes_read += one.bytes_read;
    sum.bytes_written += one.bytes_written;
  }
  return sum;
}

}  // namespace ariadne::storage
