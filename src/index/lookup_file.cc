#include "index/lookup_file.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <string_view>

#include "ariadne/errors.h"
#include "index/lookup_format.h"

namespace ariadne::index {

namespace {

namespace fmt = lookup;

/// Bytes between two wanted ranges that are cheaper to read along than to ask for separately, and
/// the most that one request brings.
constexpr int64_t kCoalesceGap = 32 << 10;
constexpr int64_t kMaxRequest = 8 << 20;

struct Range {
  int64_t offset = 0;
  int64_t length = 0;
};

/// Reads sorted, disjoint ranges with few requests and hands each to `visit`; stops and returns
/// false where `visit` does or the object ends early.
template <typename Visit>
bool ReadRanges(const storage::ObjectRef& object, std::string_view prefix,
                const std::vector<Range>& ranges, const Visit& visit) {
  const auto prefix_bytes = static_cast<int64_t>(prefix.size());
  for (size_t i = 0; i < ranges.size();) {
    if (ranges[i].length == 0 || ranges[i].offset + ranges[i].length <= prefix_bytes) {
      const auto bytes =
          ranges[i].length == 0 ? "" : prefix.substr(ranges[i].offset, ranges[i].length);
      if (!visit(i, bytes)) return false;
      ++i;
      continue;
    }
    const int64_t begin = ranges[i].offset;
    int64_t end = begin + ranges[i].length;
    size_t next = i + 1;
    while (next < ranges.size() && ranges[next].offset - end <= kCoalesceGap &&
           ranges[next].offset + ranges[next].length - begin <= kMaxRequest) {
      end = ranges[next].offset + ranges[next].length;
      ++next;
    }
    const auto buffer = object.store->GetRange(object.path, begin, end - begin);
    if (buffer->size() < end - begin) return false;
    const std::string_view bytes(reinterpret_cast<const char*>(buffer->data()), buffer->size());
    for (; i < next; ++i) {
      if (!visit(i, bytes.substr(ranges[i].offset - begin, ranges[i].length))) return false;
    }
  }
  return true;
}

}  // namespace

struct LookupFile::State {
  storage::ObjectRef object;
  fmt::Header header;
  std::shared_ptr<arrow::Buffer> prefix_buffer;
  std::vector<uint8_t> null_rows;  ///< 1 where the row's cell is null; empty where none is.
  mutable std::atomic<bool> warned = false;

  [[nodiscard]] std::string_view prefix() const {
    return {reinterpret_cast<const char*>(prefix_buffer->data()),
            static_cast<size_t>(prefix_buffer->size())};
  }
  [[nodiscard]] int64_t directory_offset() const {
    return fmt::kHeaderBytes + static_cast<int64_t>(header.null_bytes);
  }

  void Warn(const char* what) const {
    if (warned.exchange(true)) return;
    std::fprintf(stderr, "ariadne: warning: %s%s: %s; the index itself is read instead\n",
                 object.store->base_url().c_str(), object.path.c_str(), what);
  }

  bool LoadNullRows();
  bool FindBuckets(const std::vector<uint64_t>& buckets, std::vector<Range>* ranges) const;
  bool SearchBucket(std::string_view bytes, const uint64_t* first, const uint64_t* last,
                    uint8_t* hit) const;
};

bool LookupFile::State::LoadNullRows() {
  if (header.num_nulls == 0) return true;
  std::string_view block;
  std::shared_ptr<arrow::Buffer> buffer;
  const auto length = static_cast<int64_t>(header.null_bytes);
  if (fmt::kHeaderBytes + length <= prefix_buffer->size()) {
    block = prefix().substr(fmt::kHeaderBytes, length);
  } else {
    buffer = object.store->GetRange(object.path, fmt::kHeaderBytes, length);
    block = {reinterpret_cast<const char*>(buffer->data()), static_cast<size_t>(buffer->size())};
  }
  if (static_cast<int64_t>(block.size()) != length || length < fmt::kChecksumBytes) return false;
  const std::string_view rows = block.substr(0, length - fmt::kChecksumBytes);
  if (fmt::GetFixed<uint64_t>(block.data() + rows.size()) != fmt::Checksum(rows)) return false;
  null_rows.assign(header.num_rows, 0);
  const char* end = rows.data() + rows.size();
  return fmt::GetRows(rows.data(), end, static_cast<int64_t>(header.num_rows), null_rows.data()) ==
         end;
}

/// Places of these buckets (sorted, distinct) in the file.
bool LookupFile::State::FindBuckets(const std::vector<uint64_t>& buckets,
                                    std::vector<Range>* ranges) const {
  std::vector<Range> blocks;
  std::vector<int64_t> numbers;
  for (const uint64_t bucket : buckets) {
    const auto number = static_cast<int64_t>(bucket) / fmt::kBucketsPerBlock;
    if (!numbers.empty() && numbers.back() == number) continue;
    numbers.push_back(number);
    blocks.push_back(
        {directory_offset() + number * fmt::DirectoryBlockBytes(), fmt::DirectoryBlockBytes()});
  }
  const auto file_bytes = static_cast<int64_t>(header.file_bytes);
  size_t at = 0;
  return ReadRanges(object, prefix(), blocks, [&](size_t i, std::string_view block) {
    const std::string_view content = block.substr(0, block.size() - fmt::kChecksumBytes);
    if (fmt::GetFixed<uint64_t>(block.data() + content.size()) != fmt::Checksum(content)) {
      return false;
    }
    auto offset = fmt::GetFixed<int64_t>(content.data());
    int64_t slot = numbers[i] * fmt::kBucketsPerBlock;
    for (const char* p = content.data() + 8; p != content.data() + content.size(); p += 4, ++slot) {
      const int64_t length = fmt::GetFixed<uint32_t>(p);
      if (at < buckets.size() && static_cast<int64_t>(buckets[at]) == slot) {
        if (offset < 0 || offset + length > file_bytes) return false;
        ranges->push_back({offset, length});
        ++at;
      }
      offset += length;
    }
    return true;
  });
}

/// Marks the rows of each wanted hash (48 bits, sorted) that the bucket holds.
bool LookupFile::State::SearchBucket(std::string_view bytes, const uint64_t* first,
                                     const uint64_t* last, uint8_t* hit) const {
  if (bytes.empty()) return true;  // No value fell into it.
  if (static_cast<int64_t>(bytes.size()) <= fmt::kBucketChecksumBytes) return false;
  const std::string_view content = bytes.substr(0, bytes.size() - fmt::kBucketChecksumBytes);
  if (fmt::GetFixed<uint32_t>(bytes.data() + content.size()) !=
      static_cast<uint32_t>(fmt::Checksum(content))) {
    return false;
  }
  const char* at = content.data();
  const char* end = at + content.size();
  // Differences begin at the bucket's smallest possible hash.
  uint64_t hash = header.bucket_bits == 0 ? 0
                                          : *first >> (fmt::kHashBits - header.bucket_bits)
                                                          << (fmt::kHashBits - header.bucket_bits);
  while (at != end && first != last) {
    uint64_t gap = 0;
    at = fmt::GetVarint(at, end, &gap);
    if (at == nullptr) return false;
    hash += gap;
    while (first != last && *first < hash) ++first;
    const bool wanted = first != last && *first == hash;
    at = fmt::GetRows(at, end, static_cast<int64_t>(header.num_rows), wanted ? hit : nullptr);
    if (at == nullptr) return false;
  }
  return true;
}

LookupFile::LookupFile(std::unique_ptr<State> state) : state_(std::move(state)) {}
LookupFile::~LookupFile() = default;

storage::ObjectRef LookupFile::Path(const storage::ObjectRef& native_folder,
                                    const std::string& column, const std::string& data_file_path) {
  // Column names may hold '/', '%' and other things that a folder name cannot.
  std::string folder;
  for (const char c : column) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '/' || c == '\\' || c == '%' || byte < 0x20 || (c == '.' && folder.empty())) {
      char escaped[4];
      std::snprintf(escaped, sizeof(escaped), "%%%02X", byte);
      folder += escaped;
    } else {
      folder += c;
    }
  }
  return {native_folder.store,
          native_folder.path + "/lookup/" + folder + "/" + data_file_path + ".lookup"};
}

std::shared_ptr<LookupFile> LookupFile::Open(const storage::ObjectRef& object) {
  auto state = std::make_unique<State>();
  state->object = object;
  try {
    state->prefix_buffer = object.store->GetRange(object.path, 0, fmt::kFirstRead);
    const auto prefix_bytes = state->prefix_buffer->size();
    const bool sound = fmt::DecodeHeader(state->prefix(), &state->header) &&
                       // A prefix that was cut short is the whole object: its length is then known.
                       (prefix_bytes == fmt::kFirstRead ||
                        prefix_bytes == static_cast<int64_t>(state->header.file_bytes)) &&
                       state->LoadNullRows();
    if (!sound) {
      state->Warn("damaged lookup file");
      return nullptr;
    }
  } catch (const ObjectNotFound&) {
    return nullptr;
  } catch (const StorageError& error) {
    state->Warn(error.what());
    return nullptr;
  }
  return std::shared_ptr<LookupFile>(new LookupFile(std::move(state)));
}

int64_t LookupFile::num_rows() const { return static_cast<int64_t>(state_->header.num_rows); }

bool LookupFile::Find(std::span<const uint64_t> hashes, uint8_t* mask) const {
  const State& state = *state_;
  std::vector<uint64_t> wanted(hashes.size());
  std::transform(hashes.begin(), hashes.end(), wanted.begin(),
                 [](uint64_t hash) { return hash >> (64 - fmt::kHashBits); });
  std::sort(wanted.begin(), wanted.end());
  wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());

  std::vector<uint64_t> buckets;
  std::vector<size_t> first_of_bucket;
  const int shift = fmt::kHashBits - static_cast<int>(state.header.bucket_bits);
  for (size_t i = 0; i < wanted.size(); ++i) {
    const uint64_t bucket = wanted[i] >> shift;
    if (!buckets.empty() && buckets.back() == bucket) continue;
    buckets.push_back(bucket);
    first_of_bucket.push_back(i);
  }
  first_of_bucket.push_back(wanted.size());

  std::vector<uint8_t> hit = state.null_rows;
  hit.resize(state.header.num_rows, 0);
  try {
    std::vector<Range> ranges;
    const bool sound =
        state.FindBuckets(buckets, &ranges) && ranges.size() == buckets.size() &&
        ReadRanges(state.object, state.prefix(), ranges, [&](size_t i, std::string_view bytes) {
          return state.SearchBucket(bytes, wanted.data() + first_of_bucket[i],
                                    wanted.data() + first_of_bucket[i + 1], hit.data());
        });
    if (!sound) {
      state.Warn("damaged lookup file");
      return false;
    }
  } catch (const StorageError& error) {
    state.Warn(error.what());
    return false;
  }
  for (size_t row = 0; row < hit.size(); ++row) mask[row] &= hit[row];
  return true;
}

}  // namespace ariadne::index
