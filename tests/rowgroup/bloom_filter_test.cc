#include "rowgroup/bloom_filter.h"

#include <cmath>
#include <functional>
#include <random>

#include <arrow/buffer.h>
#include <arrow/io/memory.h>
#include <gtest/gtest.h>
#include <parquet/bloom_filter.h>

#include "ariadne/errors.h"
#include "rowgroup/value.h"
#include "rowgroup/value_collector.h"

namespace ariadne::rowgroup {
namespace {

constexpr Kind kBloom[] = {Kind::kBloom};

std::vector<uint64_t> RandomHashes(std::mt19937_64& random, size_t count) {
  std::vector<uint64_t> hashes(count);
  for (uint64_t& hash : hashes) hash = HashOf(static_cast<int64_t>(random()));
  return hashes;
}

TEST(BloomFilter, OfAPowerOfTwoHasTheBytesThatParquetWrites) {
  std::mt19937_64 random(1);
  for (const uint32_t size : {32U, 64U, 1024U, 65536U}) {
    const auto hashes = RandomHashes(random, size / 2);
    parquet::BlockSplitBloomFilter theirs;
    theirs.Init(size);
    for (const uint64_t hash : hashes) theirs.InsertHash(hash);
    const auto out = *arrow::io::BufferOutputStream::Create();
    theirs.WriteTo(out.get());
    const std::string written = (*out->Finish())->ToString();

    BloomFilter ours(std::string(size, '\0'));
    ours.Insert(hashes);
    EXPECT_EQ(ours.bytes(), std::string_view(written).substr(written.size() - size));
  }
}

TEST(BloomFilter, HasTheSameBytesHoweverManyHashesComeAtOnce) {
  std::mt19937_64 random(2);
  for (size_t count = 0; count < 70; ++count) {
    const auto hashes = RandomHashes(random, count);
    // So few blocks that hashes next to each other share one.
    BloomFilter together(std::string(64, '\0')), single(std::string(64, '\0'));
    together.Insert(hashes);
    for (const uint64_t& hash : hashes) single.Insert({&hash, 1});
    EXPECT_EQ(together.bytes(), single.bytes()) << count;
    for (const uint64_t hash : hashes) EXPECT_TRUE(together.MayContain(hash));
  }
}

TEST(BloomFilter, SpreadsNeighboursAsItSpreadsRandomValues) {
  // Counters, padded counters, texts with much in common and of every length, round doubles.
  const std::function<uint64_t(int64_t)> kinds[] = {
      [](int64_t i) { return HashOf(i); },
      [](int64_t i) { return HashOf(i << 40); },
      [](int64_t i) { return HashOf(static_cast<double>(i) / 4); },
      [](int64_t i) { return HashOf(std::string_view(std::to_string(i))); },
      [](int64_t i) { return HashOf(std::string_view("user-" + std::to_string(1'000'000 + i))); },
      [](int64_t i) { return HashOf(std::string_view("a long prefix " + std::to_string(i))); },
      [](int64_t i) {
        return HashOf(std::string_view(std::string(i % 13, 'a') + std::to_string(i)));
      }};
  for (const auto& hash : kinds) {
    constexpr int64_t kCount = 100'000;
    std::vector<uint64_t> hashes;
    for (int64_t i = 0; i < kCount; ++i) hashes.push_back(hash(i));
    BloomFilter filter(kCount, 0.01);
    filter.Insert(hashes);
    EXPECT_NEAR(static_cast<double>(filter.EstimateDistinct()), kCount, 0.02 * kCount);
    int64_t positives = 0;
    for (int64_t i = kCount; i < 2 * kCount; ++i) positives += filter.MayContain(hash(i)) ? 1 : 0;
    EXPECT_LT(static_cast<double>(positives) / kCount, 0.016);
  }
}

TEST(BloomFilter, HashesAreThoseThatFormerVersionsWrote) {
  EXPECT_EQ(HashOf(int64_t{1}), 4105396388567933506ULL);
  EXPECT_EQ(HashOf(0.0), 2302960717771869484ULL);
  EXPECT_EQ(HashOf(std::string_view("")), HashOfShortText(0, 0));
}

TEST(BloomFilter, HashesEqualDoublesAlike) {
  EXPECT_EQ(HashOf(-0.0), HashOf(0.0));
  EXPECT_EQ(HashOf(std::nan("1")), HashOf(-std::nan("7")));
}

TEST(BloomFilter, NeverDeniesWhatWasInserted) {
  std::mt19937_64 random(2);
  for (int round = 0; round < 200; ++round) {
    const auto count = static_cast<size_t>(std::pow(10.0, 4.0 * (random() % 1000) / 1000));
    const auto hashes = RandomHashes(random, count);
    // Sized for far too few as well: then it is merely full.
    BloomFilter filter(1 + static_cast<int64_t>(random() % (2 * count)),
                       std::pow(10.0, -4.0 * (1 + random() % 999) / 1000));
    filter.Insert(hashes);
    const BloomFilter again(filter.bytes());
    for (const uint64_t hash : hashes) {
      ASSERT_TRUE(filter.MayContain(hash));
      ASSERT_TRUE(again.MayContain(hash));
    }
  }
}

TEST(BloomFilter, IsWithinAFifthOfTheSizeThatCountAndRateDemandHoweverOftenValuesRepeat) {
  std::mt19937_64 random(3);
  for (const double rate : {0.1, 0.01, 0.001}) {
    for (const int64_t count : {500, 1'000, 3'000, 9'999, 33'000, 70'000, 131'073, 300'000}) {
      for (const auto& [repeats, expected] : std::vector<std::pair<int, int64_t>>{
               {1, 0}, {1, count}, {1, 4 * count}, {2, 2 * count}, {7, 7 * count}, {7, count}}) {
        std::vector<int64_t> values(static_cast<size_t>(count));
        for (int64_t& value : values) value = static_cast<int64_t>(random());
        HashRooms rooms;
        ValueCollector collector(Domain::kInteger, {.bloom = true}, rate, rooms, expected);
        for (int repeat = 0; repeat < repeats; ++repeat) {
          for (const int64_t value : values) collector.Add(value);
        }
        const RowGroupIndex index = collector.Make(kBloom, count * repeats).front();
        const auto& filter = std::get<BloomFilter>(index.values);
        for (const int64_t value : values) ASSERT_TRUE(filter.MayContain(HashOf(value)));

        const auto all = static_cast<double>(count);
        EXPECT_NEAR(static_cast<double>(index.distinct.value()), all, 0.05 * all);
        const double demanded = -8.0 * all / std::log(1 - std::pow(rate, 1 / 8.0)) / 8;
        EXPECT_NEAR(static_cast<double>(filter.bytes().size()), demanded, 0.2 * demanded)
            << count << " values at " << rate << ", each " << repeats << " times";

        int64_t positives = 0;
        constexpr int kProbes = 30'000;
        for (const uint64_t hash : RandomHashes(random, kProbes)) {
          positives += filter.MayContain(hash) ? 1 : 0;
        }
        const double measured = static_cast<double>(positives) / kProbes;
        // The formula takes all blocks as equally full; that they are not shows at small rates, and
        // where there are few.
        EXPECT_LT(measured, (rate < 0.005 || count < 10'000 ? 3 : 1.8) * rate)
            << count << " values at " << rate;
        EXPECT_NEAR(filter.FalsePositiveRate(), measured, 0.2 * measured + 0.001);
        EXPECT_GT(filter.Fill(), 0);
        EXPECT_LT(filter.Fill(), 1);
      }
    }
  }
}

TEST(BloomFilter, OfNothingDeniesEverything) {
  const BloomFilter filter(0, 0.01);
  EXPECT_EQ(filter.Fill(), 0);
  for (int64_t value = 0; value < 1000; ++value) EXPECT_FALSE(filter.MayContain(HashOf(value)));
}

TEST(BloomFilter, RefusesBytesThatAreNoBlocks) {
  for (const size_t size : {0U, 1U, 31U, 33U}) {
    EXPECT_THROW(BloomFilter(std::string(size, 'x')), InvalidArgument);
  }
}

TEST(ValueCollector, CountsFewAndManyDistinctValuesHoweverOftenTheyRepeat) {
  std::mt19937_64 random(4);
  HashRooms rooms;
  ValueCollector nothing(Domain::kInteger, {.bloom = true}, 0.01, rooms);
  EXPECT_EQ(nothing.Make(kBloom, 0).front().distinct.value(), 0);
  for (const int64_t count : {1, 2, 10, 100, 5'000, 20'000, 60'000}) {
    ValueCollector collector(Domain::kInteger, {.bloom = true}, 0.01, rooms);
    for (int64_t i = 0; i < 3'000'000; ++i) {
      collector.Add(static_cast<int64_t>(random() % static_cast<uint64_t>(count)));
    }
    const auto distinct =
        static_cast<double>(collector.Make(kBloom, 3'000'000).front().distinct.value());
    EXPECT_NEAR(distinct, static_cast<double>(count), 0.05 * static_cast<double>(count) + 0.5);
  }
}

}  // namespace
}  // namespace ariadne::rowgroup
