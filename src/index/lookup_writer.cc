#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <utility>

#include <arrow/io/interfaces.h>
#include <arrow/status.h>

#include "ariadne/errors.h"
#include "index/lookup_file.h"
#include "index/lookup_format.h"
#include "index/spill_file.h"
#include "storage/arrow_io.h"
#include "storage/debug_log.h"

namespace ariadne::index {

namespace {

namespace fmt = lookup;

constexpr int kPartitions = 256;
/// Words of a partition's first chunk; chunks double up to the largest, so that a column of few
/// values costs little and a large one little more than its pairs.
constexpr int64_t kFirstChunk = 64;
constexpr int64_t kLargestChunk = 8192;
constexpr int64_t kSmallestBudget = 4 << 20;
/// Pairs after which the size of the whole is estimated, to choose the number of buckets.
constexpr size_t kSamplePairs = 65536;

/// Pairs whose hash begins with one byte, each as (40 bits hash, 24 bits row).
struct Partition {
  struct Chunk {
    std::unique_ptr<uint64_t[]> words;
    int64_t capacity = 0;
  };
  std::vector<Chunk> chunks;
  uint64_t* next = nullptr;
  uint64_t* end = nullptr;
  /// Runs in the spill file, oldest first: (offset, words).
  std::vector<std::pair<int64_t, int64_t>> spilled;
};

/// Sorts pairs that were added in the order of their rows. Two passes over the upper 22 bits leave
/// runs of the few hashes that share them, which are sorted where they are not already.
void SortWords(std::vector<uint64_t>* words, std::vector<uint64_t>* scratch) {
  if (words->size() < 512) {
    std::sort(words->begin(), words->end());
    return;
  }
  constexpr int kDigitBits = 11;
  constexpr uint64_t kDigits = 1 << kDigitBits;
  scratch->resize(words->size());
  for (const int shift : {64 - 2 * kDigitBits, 64 - kDigitBits}) {
    std::array<uint32_t, kDigits> position{};
    for (const uint64_t word : *words) ++position[word >> shift & (kDigits - 1)];
    uint32_t sum = 0;
    for (uint32_t& count : position) sum += std::exchange(count, sum);
    for (const uint64_t word : *words) (*scratch)[position[word >> shift & (kDigits - 1)]++] = word;
    words->swap(*scratch);
  }
  for (auto first = words->begin(); first != words->end();) {
    auto last = first + 1;
    bool sorted = true;
    while (last != words->end() && (*last ^ *first) >> (64 - 2 * kDigitBits) == 0) {
      sorted = sorted && *(last - 1) <= *last;
      ++last;
    }
    if (!sorted) std::sort(first, last);
    first = last;
  }
}

/// Turns sorted pairs into buckets.
class BucketEncoder {
 public:
  BucketEncoder(uint32_t bits, int64_t memory_bytes, const std::string& spill_folder)
      : bits_(bits),
        lengths_(size_t{1} << bits),
        memory_bytes_(memory_bytes),
        spill_(spill_folder) {}

  /// `partition`: the upper byte of the hashes; partitions ascend.
  void Add(uint64_t partition, const std::vector<uint64_t>& words) {
    for (size_t i = 0; i < words.size();) {
      const uint64_t suffix = words[i] >> fmt::kRowBits;
      rows_.clear();
      for (; i < words.size() && words[i] >> fmt::kRowBits == suffix; ++i) {
        const auto row = static_cast<uint32_t>(words[i] & (fmt::kMaxRows - 1));
        if (rows_.empty() || rows_.back() != row) rows_.push_back(row);
      }
      AddValue(partition << fmt::kSuffixBits | suffix);
    }
  }
  void Finish() {
    if (!bucket_.empty()) EndBucket();
  }

  [[nodiscard]] uint64_t num_values() const { return num_values_; }
  [[nodiscard]] uint64_t num_pairs() const { return num_pairs_; }
  [[nodiscard]] int64_t bytes() const {
    return spill_.size() + static_cast<int64_t>(encoded_.size());
  }
  [[nodiscard]] std::string Directory(int64_t first_bucket_offset) const;
  void Write(const std::function<void(std::string_view)>& write) const;

 private:
  void AddValue(uint64_t hash) {
    const int shift = fmt::kHashBits - static_cast<int>(bits_);
    const uint64_t bucket = hash >> shift;
    if (bucket != current_bucket_ || bucket_.empty()) {
      if (!bucket_.empty()) EndBucket();
      current_bucket_ = bucket;
      previous_hash_ = bucket << shift;
    }
    fmt::PutVarint(&bucket_, hash - previous_hash_);
    previous_hash_ = hash;
    fmt::PutRows(&bucket_, rows_.data(), static_cast<int64_t>(rows_.size()));
    ++num_values_;
    num_pairs_ += rows_.size();
  }
  void EndBucket() {
    fmt::PutFixed<uint32_t>(&bucket_, static_cast<uint32_t>(fmt::Checksum(bucket_)));
    if (bucket_.size() > UINT32_MAX) throw Error("a bucket of a lookup file outgrew 4 GiB");
    lengths_[current_bucket_] = static_cast<uint32_t>(bucket_.size());
    encoded_ += bucket_;
    bucket_.clear();
    if (static_cast<int64_t>(encoded_.size()) > memory_bytes_) {
      spill_.Append(encoded_.data(), static_cast<int64_t>(encoded_.size()));
      encoded_.clear();
    }
  }

  uint32_t bits_;
  std::vector<uint32_t> lengths_;
  int64_t memory_bytes_;
  SpillFile spill_;
  std::string encoded_;
  std::string bucket_;
  std::vector<uint32_t> rows_;
  uint64_t current_bucket_ = 0;
  uint64_t previous_hash_ = 0;
  uint64_t num_values_ = 0;
  uint64_t num_pairs_ = 0;
};

std::string BucketEncoder::Directory(int64_t first_bucket_offset) const {
  std::string out;
  const auto buckets = static_cast<int64_t>(lengths_.size());
  int64_t offset = first_bucket_offset;
  for (int64_t block = 0; block < fmt::DirectoryBlocks(bits_); ++block) {
    const size_t begin = out.size();
    fmt::PutFixed<int64_t>(&out, offset);
    for (int64_t i = block * fmt::kBucketsPerBlock; i < (block + 1) * fmt::kBucketsPerBlock; ++i) {
      const uint32_t length = i < buckets ? lengths_[i] : 0;
      fmt::PutFixed<uint32_t>(&out, length);
      offset += length;
    }
    fmt::PutFixed<uint64_t>(&out, fmt::Checksum(std::string_view(out).substr(begin)));
  }
  return out;
}

void BucketEncoder::Write(const std::function<void(std::string_view)>& write) const {
  std::string piece;
  for (int64_t offset = 0; offset < spill_.size(); offset += static_cast<int64_t>(piece.size())) {
    piece.resize(std::min<int64_t>(1 << 20, spill_.size() - offset));
    spill_.Read(offset, piece.data(), static_cast<int64_t>(piece.size()));
    write(piece);
  }
  write(encoded_);
}

}  // namespace

struct LookupWriter::State {
  explicit State(const BuildContext& build_context)
      : context(build_context),
        budget(std::max(context.memory_bytes, kSmallestBudget)),
        spill(context.spill_folder) {}

  BuildContext context;
  int64_t budget;
  std::array<Partition, kPartitions> partitions;
  int64_t bytes = 0;  ///< Held in chunks.
  int64_t num_words = 0;
  SpillFile spill;
  std::vector<uint32_t> null_rows;
  int64_t num_rows = 0;

  void TakeRow(int64_t row);
  void Grow(Partition* partition);
  void Spill();
  void Load(Partition* partition, std::vector<uint64_t>* words) const;
};

void LookupWriter::State::TakeRow(int64_t row) {
  if (row < num_rows || row >= fmt::kMaxRows) {
    throw InvalidArgument("a lookup file takes rows in ascending order below " +
                          std::to_string(fmt::kMaxRows) + ", not row " + std::to_string(row) +
                          " after " + std::to_string(num_rows - 1));
  }
  num_rows = row + 1;
}

void LookupWriter::State::Grow(Partition* partition) {
  // Half of the budget: sorting and encoding need the rest.
  if (bytes > budget / 2) Spill();
  const int64_t capacity = partition->chunks.empty()
                               ? kFirstChunk
                               : std::min(partition->chunks.back().capacity * 2, kLargestChunk);
  partition->chunks.push_back({std::make_unique_for_overwrite<uint64_t[]>(capacity), capacity});
  partition->next = partition->chunks.back().words.get();
  partition->end = partition->next + capacity;
  bytes += capacity * static_cast<int64_t>(sizeof(uint64_t));
}

void LookupWriter::State::Spill() {
  for (Partition& partition : partitions) {
    if (partition.chunks.empty()) continue;
    int64_t words = 0;
    const int64_t begin = spill.size();
    for (const Partition::Chunk& chunk : partition.chunks) {
      const bool last = &chunk == &partition.chunks.back();
      const int64_t count = last ? partition.next - chunk.words.get() : chunk.capacity;
      spill.Append(chunk.words.get(), count * static_cast<int64_t>(sizeof(uint64_t)));
      words += count;
    }
    partition.spilled.emplace_back(begin, words);
    partition.chunks.clear();
    partition.next = partition.end = nullptr;
  }
  bytes = 0;
}

/// Moves the partition's pairs into `words`, in the order in which they were added.
void LookupWriter::State::Load(Partition* partition, std::vector<uint64_t>* words) const {
  words->clear();
  for (const auto& [offset, count] : partition->spilled) {
    const size_t begin = words->size();
    words->resize(begin + count);
    spill.Read(offset, words->data() + begin, count * static_cast<int64_t>(sizeof(uint64_t)));
  }
  for (const Partition::Chunk& chunk : partition->chunks) {
    const bool last = &chunk == &partition->chunks.back();
    words->insert(words->end(), chunk.words.get(),
                  last ? partition->next : chunk.words.get() + chunk.capacity);
  }
  *partition = Partition();
}

LookupWriter::LookupWriter(const BuildContext& context)
    : state_(std::make_unique<State>(context)) {}
LookupWriter::~LookupWriter() = default;

void LookupWriter::Add(int64_t row, std::span<const uint64_t> hashes) {
  State& state = *state_;
  state.TakeRow(row);
  constexpr uint64_t kSuffixMask = (uint64_t{1} << fmt::kSuffixBits) - 1;
  for (const uint64_t hash : hashes) {
    Partition& partition = state.partitions[hash >> 56];
    if (partition.next == partition.end) state.Grow(&partition);
    *partition.next++ =
        (hash >> (64 - fmt::kHashBits) & kSuffixMask) << fmt::kRowBits | static_cast<uint64_t>(row);
  }
  state.num_words += static_cast<int64_t>(hashes.size());
}

void LookupWriter::AddNull(int64_t row) {
  state_->TakeRow(row);
  state_->null_rows.push_back(static_cast<uint32_t>(row));
}

void LookupWriter::Finish(const storage::ObjectRef& object) {
  State& state = *state_;
  std::vector<uint64_t> scratch;
  // The first partitions tell how long the encoded pairs are, and so how many buckets there are.
  std::vector<std::vector<uint64_t>> sample;
  BucketEncoder measure(0, INT64_MAX, "");
  size_t sampled = 0;
  while (sampled < kSamplePairs && sample.size() < kPartitions) {
    const uint64_t number = sample.size();
    state.Load(&state.partitions[number], &sample.emplace_back());
    SortWords(&sample.back(), &scratch);
    measure.Add(number, sample.back());
    sampled += sample.back().size();
  }
  measure.Finish();
  const double estimate = sampled == 0 ? 0.0
                                       : static_cast<double>(measure.bytes()) *
                                             static_cast<double>(state.num_words) /
                                             static_cast<double>(sampled);
  const auto buckets = static_cast<uint64_t>(estimate / fmt::kBucketTarget);
  const uint32_t bits = std::min<uint32_t>(std::bit_width(buckets), fmt::kMaxBucketBits);

  BucketEncoder encoder(bits, state.budget / 4, state.context.spill_folder);
  std::vector<uint64_t> words;
  for (uint64_t number = 0; number < kPartitions; ++number) {
    if (number < sample.size()) {
      words = std::move(sample[number]);
    } else {
      state.Load(&state.partitions[number], &words);
      SortWords(&words, &scratch);
    }
    encoder.Add(number, words);
  }
  encoder.Finish();

  std::string nulls;
  if (!state.null_rows.empty()) {
    fmt::PutRows(&nulls, state.null_rows.data(), static_cast<int64_t>(state.null_rows.size()));
    fmt::PutFixed<uint64_t>(&nulls, fmt::Checksum(nulls));
  }
  fmt::Header header;
  header.bucket_bits = bits;
  header.num_rows = static_cast<uint64_t>(state.num_rows);
  header.num_values = encoder.num_values();
  header.num_pairs = encoder.num_pairs();
  header.null_bytes = nulls.size();
  header.num_nulls = state.null_rows.size();
  const int64_t first_bucket = fmt::kHeaderBytes + static_cast<int64_t>(nulls.size()) +
                               fmt::DirectoryBlocks(bits) * fmt::DirectoryBlockBytes();
  header.file_bytes = static_cast<uint64_t>(first_bucket + encoder.bytes());

  const auto stream = storage::OpenOutput(object);
  const auto check = [&object](const arrow::Status& status) {
    if (status.ok()) return;
    throw StorageError("cannot write " + object.store->base_url() + object.path + ": " +
                       status.message());
  };
  const auto write = [&](std::string_view bytes) {
    check(stream->Write(bytes.data(), static_cast<int64_t>(bytes.size())));
  };
  write(fmt::EncodeHeader(header));
  write(nulls);
  write(encoder.Directory(first_bucket));
  encoder.Write(write);
  check(stream->Close());
  if (storage::DebugIsOn()) {
    storage::Debug("wrote " + object.store->base_url() + object.path + ": " +
                   std::to_string(header.num_values) + " values, " +
                   std::to_string(header.file_bytes) + " bytes");
  }
}

}  // namespace ariadne::index
