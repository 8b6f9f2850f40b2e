// Files that are cut, overwritten or no Parquet at all: InvalidFile, never a crash, and never an
// answer from a file of which a part was lost.

#include <filesystem>
#include <fstream>
#include <random>
#include <string>

#include <arrow/array/util.h>
#include <arrow/buffer.h>
#include <arrow/io/file.h>
#include <arrow/table.h>
#include <arrow/type.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ariadne/errors.h"
#include "parquet_bytes.h"
#include "source/parquet_source.h"

namespace ariadne::source {
namespace {

using ::testing::HasSubstr;

std::shared_ptr<arrow::Buffer> Sample(bool dictionary, bool checksums = false) {
  std::string numbers = "[null";
  std::string texts = "[null";
  std::string lists = "[null";
  for (int i = 0; i < 2000; ++i) {
    lists +=
        i % 3 == 0 ? ",[]" : ",[null," + std::to_string(i % 89) + "," + std::to_string(i % 7) + "]";
    numbers += "," + std::to_string(i % 97 * 1'000'003);
    texts += ",\"text-" + std::to_string(i % 101) + "\"";
  }
  const auto table = arrow::Table::Make(
      arrow::schema({arrow::field("n", arrow::int64()), arrow::field("s", arrow::utf8()),
                     arrow::field("l", arrow::list(arrow::int64()))}),
      {ArrayOf(arrow::int64(), numbers + "]"), ArrayOf(arrow::utf8(), texts + "]"),
       ArrayOf(arrow::list(arrow::int64()), lists + "]")});
  return WriteParquet(*table, 700, [&](auto* properties) {
    if (!dictionary) properties->disable_dictionary();
    if (checksums) properties->enable_page_checksum();
    properties->compression(parquet::Compression::SNAPPY);
  });
}

const auto kSchema =
    arrow::schema({arrow::field("n", arrow::int64()), arrow::field("s", arrow::utf8()),
                   arrow::field("l", arrow::list(arrow::int64()))});

void ReadAll(const std::shared_ptr<arrow::Buffer>& bytes) {
  const ParquetSource source(std::make_shared<CountingFile>(bytes), "file:///lake/broken.parquet",
                             kSchema);
  for (const char* column : {"n", "s", "l"}) {
    (void)source.ExactRange(column);
    (void)source.DistinctUpperBound(column);
    (void)source.MemoryUpperBound(column);
    source.VisitDistinct(column, [](const arrow::Array&) {});
  }
  source.VisitDistinctElements({.column = "l"}, arrow::int64(), [](const arrow::Array&) {});
}

void ExpectInvalid(const std::string& content, const std::string& because = "") {
  try {
    ReadAll(arrow::Buffer::FromString(content));
    FAIL() << "read " << content.size() << " bytes";
  } catch (const InvalidFile& error) {
    EXPECT_THAT(error.what(), HasSubstr("file:///lake/broken.parquet"));
    EXPECT_THAT(error.what(), HasSubstr(because));
  }
}

TEST(DamagedFile, WhatIsNoParquetIsAnInvalidFile) {
  ExpectInvalid("", "empty (0 bytes)");
  ExpectInvalid("P");
  ExpectInvalid("PAR1");
  ExpectInvalid("PAR1PAR1");
  ExpectInvalid("a,b\n1,2\n");
  ExpectInvalid(std::string(100'000, 'x'));
  ExpectInvalid("PAR1" + std::string(100, '\0') + "PAR1");
  ExpectInvalid("PAR1" + std::string(100, '\xFF') + "PAR1");
  ExpectInvalid("PAR1" + std::string(100, 'x') + std::string("\x20\0\0\0", 4) + "PARE",
                "encrypted");
}

TEST(DamagedFile, AFileThatWasCutIsAnInvalidFileWhereverItWasCut) {
  const std::string whole = Sample(true)->ToString();
  for (size_t length = 0; length < whole.size(); length += length < 100 ? 1 : 61) {
    ExpectInvalid(whole.substr(0, length));
  }
}

TEST(DamagedFile, AFileThatLostBytesInTheMiddleIsAnInvalidFile) {
  // As after a copy that lost a block: the footer is whole, and all offsets are wrong.
  const std::string whole = Sample(false)->ToString();
  ExpectInvalid(whole.substr(0, 4) + whole.substr(400));
}

TEST(DamagedFile, AFlippedByteUnderAChecksumIsNoticed) {
  for (const bool dictionary : {true, false}) {
    const std::string whole = Sample(dictionary, /*checksums=*/true)->ToString();
    ASSERT_NO_THROW(ReadAll(arrow::Buffer::FromString(whole)));
    std::string broken = whole;
    broken[100] = static_cast<char>(broken[100] ^ 0x10);  // In the first page of the first chunk.
    ExpectInvalid(broken);
  }
}

TEST(DamagedFile, RandomDamageNeverEscapesAsAnythingButAnInvalidFile) {
  std::mt19937 random(7);
  int failed = 0;
  for (const bool dictionary : {true, false}) {
    const std::string whole = Sample(dictionary)->ToString();
    for (int round = 0; round < 3000; ++round) {
      std::string broken = whole;
      // Half of the damage in the footer, where it does most.
      const size_t begin =
          random() % 2 == 0 ? 0 : broken.size() - std::min<size_t>(3000, broken.size());
      for (size_t n = 1 + random() % 4; n > 0; --n) {
        broken[begin + random() % (broken.size() - begin)] = static_cast<char>(random());
      }
      try {
        ReadAll(arrow::Buffer::FromString(broken));
      } catch (const InvalidFile&) {
        ++failed;
      }
    }
  }
  EXPECT_GT(failed, 1000);
}

TEST(DamagedFile, AFileOnDiskIsReadToo) {
  const auto path = std::filesystem::temp_directory_path() / "ariadne source ü.parquet";
  std::ofstream(path, std::ios::binary) << Sample(true)->ToString();
  const auto file = arrow::io::ReadableFile::Open(path.string()).ValueOrDie();
  const ParquetSource source(file, CanonicalUri(path.string()), kSchema);
  EXPECT_EQ(Visited(source, "s", arrow::utf8()).size(), 101);
  EXPECT_EQ(source.num_rows(), 2001);
  EXPECT_EQ(source.num_row_groups(), 3);
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace ariadne::source
