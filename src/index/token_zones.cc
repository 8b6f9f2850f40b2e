#include "index/token_zones.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <random>
#include <unordered_map>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "ariadne/errors.h"
#include "index/lookup_format.h"

namespace ariadne::index {

namespace {

// native/token_zones/{time}-{random}.zones, one immutable object an update:
//   "ARZONES1", then entries {varint zone length, zone, fixed64 key}, then fixed64 xxh3 of it all.
// The key hashes (filename, column, checksum of the filter), so an entry takes some 20 bytes
// however long the names are.
// Each update adds an object; when there are kMergeFrom of them the next one holds them all.
constexpr std::string_view kMagic = "ARZONES1";
constexpr std::string_view kSuffix = ".zones";
constexpr size_t kMergeFrom = 32;

std::string Folder(const storage::ObjectRef& native_folder) {
  return native_folder.path + "/token_zones";
}

uint64_t Key(std::string_view filename, std::string_view column, uint64_t filter_checksum) {
  std::string bytes;
  lookup::PutFixed<uint64_t>(&bytes, filter_checksum);
  lookup::PutVarint(&bytes, filename.size());
  bytes += filename;
  bytes += column;
  return lookup::Checksum(bytes);
}

}  // namespace

struct TokenZones::State {
  std::vector<std::string> zones;
  std::unordered_map<uint64_t, uint32_t> zone_of_key;

  bool Read(std::string_view bytes);
  bool ReadObjects(const storage::ObjectRef& native_folder, std::vector<std::string>* read);
};

/// Takes the entries of one object; false, and none of what follows, where it is damaged.
bool TokenZones::State::Read(std::string_view bytes) {
  if (bytes.size() < kMagic.size() + 8 || !bytes.starts_with(kMagic)) return false;
  const std::string_view content = bytes.substr(0, bytes.size() - 8);
  if (lookup::GetFixed<uint64_t>(bytes.data() + content.size()) != lookup::Checksum(content)) {
    return false;
  }
  const char* at = content.data() + kMagic.size();
  const char* end = content.data() + content.size();
  while (at != end) {
    uint64_t length = 0;
    at = lookup::GetVarint(at, end, &length);
    if (at == nullptr || length > static_cast<uint64_t>(end - at) ||
        static_cast<uint64_t>(end - at) - length < 8) {
      return false;
    }
    const std::string_view zone(at, length);
    at += length;
    const auto key = lookup::GetFixed<uint64_t>(at);
    at += 8;
    const auto known = std::find(zones.begin(), zones.end(), zone);
    zone_of_key[key] = static_cast<uint32_t>(known - zones.begin());
    if (known == zones.end()) zones.emplace_back(zone);
  }
  return true;
}

/// Reads all objects, names those that were sound; false where one went away meanwhile.
bool TokenZones::State::ReadObjects(const storage::ObjectRef& native_folder,
                                    std::vector<std::string>* read) {
  const storage::ObjectStore& store = *native_folder.store;
  for (const storage::ObjectMeta& object : store.List(Folder(native_folder))) {
    if (!object.path.ends_with(kSuffix)) continue;
    try {
      const auto buffer = store.Get(object.path);
      if (Read({reinterpret_cast<const char*>(buffer->data()),
                static_cast<size_t>(buffer->size())})) {
        read->push_back(object.path);
        continue;
      }
    } catch (const ObjectNotFound&) {
      return false;
    } catch (const StorageError&) {
      // Below: one record that cannot be read leaves its filters "maybe", no more.
    }
    std::fprintf(stderr,
                 "ariadne: warning: %s%s cannot be read; filters on timestamps that it describes "
                 "are not used\n",
                 store.base_url().c_str(), object.path.c_str());
  }
  return true;
}

TokenZones::TokenZones() : state_(std::make_unique<State>()) {}
TokenZones::~TokenZones() = default;
TokenZones::TokenZones(TokenZones&&) noexcept = default;
TokenZones& TokenZones::operator=(TokenZones&&) noexcept = default;

uint64_t TokenZones::Checksum(std::string_view filter_bytes) {
  return XXH3_64bits(filter_bytes.data(), filter_bytes.size());
}

TokenZones TokenZones::Load(const storage::ObjectRef& native_folder) {
  TokenZones result;
  try {
    // An object that goes away was merged into one that the first listing did not have.
    std::vector<std::string> read;
    for (int tries = 0; tries < 3 && !result.state_->ReadObjects(native_folder, &read); ++tries) {
    }
  } catch (const StorageError& error) {
    std::fprintf(stderr, "ariadne: warning: the time zones of filters are unknown: %s\n",
                 error.what());
  }
  return result;
}

std::optional<std::string> TokenZones::ZoneOf(std::string_view filename, std::string_view column,
                                              uint64_t filter_checksum) const {
  const auto found = state_->zone_of_key.find(Key(filename, column, filter_checksum));
  if (found == state_->zone_of_key.end()) return std::nullopt;
  return state_->zones[found->second];
}

void TokenZones::Record(const storage::ObjectRef& native_folder,
                        const std::vector<Entry>& entries) {
  if (entries.empty()) return;
  std::string bytes(kMagic);
  for (const Entry& entry : entries) {
    lookup::PutVarint(&bytes, entry.zone.size());
    bytes += entry.zone;
    lookup::PutFixed<uint64_t>(&bytes, Key(entry.filename, entry.column, entry.filter_checksum));
  }

  State before;
  std::vector<std::string> merged;
  if (native_folder.store->List(Folder(native_folder)).size() >= kMergeFrom) {
    before.ReadObjects(native_folder, &merged);
    for (const auto& [key, zone] : before.zone_of_key) {
      lookup::PutVarint(&bytes, before.zones[zone].size());
      bytes += before.zones[zone];
      lookup::PutFixed<uint64_t>(&bytes, key);
    }
  }
  lookup::PutFixed<uint64_t>(&bytes, lookup::Checksum(bytes));

  const auto now = std::chrono::duration_cast<std::chrono::milliseconds>(
                       std::chrono::system_clock::now().time_since_epoch())
                       .count();
  std::random_device random;
  char name[64];
  std::snprintf(name, sizeof(name), "/%015lld-%08x%08x%s", static_cast<long long>(now), random(),
                random(), std::string(kSuffix).c_str());
  native_folder.store->Put(Folder(native_folder) + name, bytes);
  for (const std::string& path : merged) native_folder.store->Delete(path);
}

}  // namespace ariadne::index
