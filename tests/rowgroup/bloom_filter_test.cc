#include "rowgroup/bloom_filter.h"

#include <cmath>
#include <random>

#include <arrow/buffer.h>
#include <arrow/io/memory.h>
#include <gtest/gtest.h>
#include <parquet/bloom_filter.h>

#include "ariadne/errors.h"
#include "rowgroup/distinct_sketch.h"
#include "rowgroup/value.h"

namespace ariadne::rowgroup {
namespace {

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

TEST(BloomFilter, HashesAsParquetDoes) {
  parquet::BlockSplitBloomFilter theirs;
  theirs.Init(32);
  EXPECT_EQ(HashOf(int64_t{-7}), theirs.Hash(int64_t{-7}));
  EXPECT_EQ(HashOf(1.5), theirs.Hash(1.5));
  EXPECT_EQ(HashOf(std::string_view("gr\xC3\xB6\xC3\x9F")),
            theirs.Hash(std::string_view("gr\xC3\xB6\xC3\x9F")));
  EXPECT_EQ(HashOf(std::string_view("")), theirs.Hash(std::string_view("")));
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

TEST(BloomFilter, OfASketchedCountIsWithinAFifthOfTheSizeThatCountAndRateDemand) {
  std::mt19937_64 random(3);
  for (const double rate : {0.1, 0.01, 0.001}) {
    for (const size_t count :
         {500U, 1'000U, 3'000U, 9'999U, 33'000U, 70'000U, 131'073U, 300'000U}) {
      const auto hashes = RandomHashes(random, count);
      DistinctSketch sketch;
      sketch.Add(hashes);
      BloomFilter filter(sketch.Estimate(), rate);
      const double demanded =
          -8.0 * static_cast<double>(count) / std::log(1 - std::pow(rate, 1 / 8.0)) / 8;
      EXPECT_NEAR(static_cast<double>(filter.bytes().size()), demanded, 0.2 * demanded)
          << count << " values at " << rate;

      filter.Insert(hashes);
      int64_t positives = 0;
      constexpr int kProbes = 100'000;
      for (const uint64_t hash : RandomHashes(random, kProbes)) {
        positives += filter.MayContain(hash) ? 1 : 0;
      }
      const double measured = static_cast<double>(positives) / kProbes;
      // The formula takes all blocks as equally full; that they are not shows at small rates.
      EXPECT_LT(measured, (rate < 0.005 ? 3 : 1.6) * rate) << count << " values at " << rate;
      EXPECT_NEAR(filter.FalsePositiveRate(), measured, 0.2 * measured + 0.0005);
      EXPECT_GT(filter.Fill(), 0);
      EXPECT_LT(filter.Fill(), 1);
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

TEST(DistinctSketch, EstimatesAnyCountToAFewPercentHoweverOftenValuesRepeat) {
  std::mt19937_64 random(4);
  DistinctSketch nothing;
  EXPECT_EQ(nothing.Estimate(), 0);
  for (const size_t count : {1U, 2U, 10U, 100U, 5'000U, 20'000U, 60'000U, 1'000'000U}) {
    const auto hashes = RandomHashes(random, count);
    DistinctSketch sketch;
    for (int repeat = 0; repeat < 3; ++repeat) sketch.Add(hashes);
    const auto estimate = static_cast<double>(sketch.Estimate());
    EXPECT_NEAR(estimate, static_cast<double>(count), 0.05 * static_cast<double>(count) + 0.5);
  }
}

}  // namespace
}  // namespace ariadne::rowgroup
