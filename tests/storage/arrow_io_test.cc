#include "storage/arrow_io.h"

#include <fcntl.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <arrow/buffer.h>
#include <arrow/io/memory.h>

#include "ariadne/errors.h"
#include "temp_folder.h"

namespace ariadne::storage {
namespace {

TEST(ArrowIo, ReadsRangesAsTheFileHasThem) {
  TempFolder folder;
  std::mt19937 random(3);
  std::string data(10'000, '\0');
  for (char& c : data) c = static_cast<char>(random());
  std::ofstream(folder.path() / "a b%20#1") << data;
  const auto input = OpenInput(folder.Ref("a b%20#1"));
  EXPECT_EQ(*input->GetSize(), 10'000);
  for (int i = 0; i < 200; ++i) {
    const auto from = static_cast<int64_t>(random() % 11'000);
    const auto length = static_cast<int64_t>(random() % 3'000);
    const auto expected = from >= 10'000
                              ? std::string()
                              : data.substr(static_cast<size_t>(from), static_cast<size_t>(length));
    EXPECT_EQ((*input->ReadAt(from, length))->ToString(), expected);
  }
  ASSERT_TRUE(input->Seek(9'990).ok());
  EXPECT_EQ((*input->Read(100))->ToString(), data.substr(9'990));
  EXPECT_EQ((*input->Read(100))->size(), 0);
  EXPECT_FALSE(input->ReadAt(-1, 5).ok());
}

TEST(ArrowIo, AReaderKeepsTheFileThatItOpened) {
  TempFolder folder;
  const ObjectRef ref = folder.Ref("f");
  ref.store->Put(ref.path, "old contents");
  const auto input = OpenInput(ref);
  ref.store->Put(ref.path, "new");
  EXPECT_EQ((*input->ReadAt(0, 12))->ToString(), "old contents");
}

TEST(ArrowIo, AMissingFileOrAFolderIsNotFound) {
  TempFolder folder;
  std::filesystem::create_directories(folder.path() / "d");
  EXPECT_THROW((void)OpenInput(folder.Ref("none")), ObjectNotFound);
  EXPECT_THROW((void)OpenInput(folder.Ref("d")), ObjectNotFound);
}

TEST(ArrowIo, ManyThreadsReadOneInput) {
  TempFolder folder;
  std::string data(100'000, '\0');
  for (size_t i = 0; i < data.size(); ++i) data[i] = static_cast<char>(i * 7 % 251);
  const ObjectRef ref = folder.Ref("f");
  ref.store->Put(ref.path, data);
  const auto input = OpenInput(ref);
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (unsigned t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      std::mt19937 random(t);
      for (int i = 0; i < 300; ++i) {
        const size_t from = random() % data.size();
        const auto read = *input->ReadAt(static_cast<int64_t>(from), 512);
        if (read->ToString() != data.substr(from, 512)) ++wrong;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST(ArrowIo, WritesOfAnySizeBecomeOneObject) {
  TempFolder folder;
  // A part of a local file is a mebibyte.
  constexpr size_t kPart = 1 << 20;
  std::mt19937 random(4);
  const std::vector<std::vector<size_t>> sizes = {
      {0},
      {kPart},
      {kPart - 1, 1, 1},
      {kPart, kPart},
      {3 * kPart},
      {5, 3 * kPart, 0, 7},
      {3 * kPart + 1, kPart - 1},
      {random() % kPart, random() % (4 * kPart), random() % kPart}};
  for (size_t i = 0; i < sizes.size(); ++i) {
    const ObjectRef ref = folder.Ref("f" + std::to_string(i));
    const auto output = OpenOutput(ref);
    std::string all;
    for (const size_t size : sizes[i]) {
      std::string piece(size, '\0');
      for (char& c : piece) c = static_cast<char>(random());
      ASSERT_TRUE(output->Write(piece.data(), static_cast<int64_t>(size)).ok());
      all += piece;
    }
    EXPECT_EQ(*output->Tell(), static_cast<int64_t>(all.size()));
    ASSERT_TRUE(output->Close().ok());
    const auto stored = ref.store->Get(ref.path);
    EXPECT_TRUE(std::string_view(*stored) == all) << i;
  }
}

TEST(ArrowIo, AnObjectAppearsWholeWhenTheStreamIsClosed) {
  TempFolder folder;
  const ObjectRef ref = folder.Ref("deep/er/f");
  // Small enough for one request, and large enough for several parts.
  for (const size_t chunks : {size_t{0}, size_t{3}, size_t{40}}) {
    const std::string chunk(1'000'003, static_cast<char>('a' + chunks));
    auto out = OpenOutput(ref);
    for (size_t i = 0; i < chunks; ++i) {
      ASSERT_TRUE(out->Write(chunk.data(), static_cast<int64_t>(chunk.size())).ok());
    }
    EXPECT_EQ(*out->Tell(), static_cast<int64_t>(chunks * chunk.size()));
    if (chunks == 0) {
      EXPECT_FALSE(ref.store->Head(ref.path).has_value());
    }
    ASSERT_TRUE(out->Close().ok());
    ASSERT_TRUE(out->Close().ok());
    EXPECT_EQ(ref.store->Head(ref.path)->size, static_cast<int64_t>(chunks * chunk.size()));
  }
  {
    auto dropped = OpenOutput(folder.Ref("deep/er/g"));
    const std::string large(40'000'000, 'x');
    ASSERT_TRUE(dropped->Write(large.data(), static_cast<int64_t>(large.size())).ok());
  }
  EXPECT_EQ(ref.store->ListNames(folder.Ref("deep/er").path), std::vector<std::string>{"f"});
  // Not even hidden.
  size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path() / "deep" / "er")) {
    (void)entry;
    ++files;
  }
  EXPECT_EQ(files, 1U);
}

void WriteInPlace(const std::filesystem::path& path, char content) {
  const int file = ::open(path.c_str(), O_WRONLY);
  ASSERT_GE(file, 0);
  EXPECT_EQ(::pwrite(file, &content, 1, 0), 1);
  ::close(file);
}

TEST(SettledMetaTest, IsAnotherAfterTheNextWriteHoweverSoonThatComes) {
  const TempFolder folder;
  const ObjectRef ref = folder.Ref("f");
  for (char content = 'a'; content < 'k'; ++content) {
    ref.store->Put(ref.path, std::string(10, content));
    const auto input = OpenInput(ref);
    const auto settled = SettledMeta(*input);
    ASSERT_TRUE(settled);
    const auto same = ref.store->Head(ref.path);
    EXPECT_EQ(same->etag, settled->etag);
    EXPECT_EQ(same->modified_ms, settled->modified_ms);
    EXPECT_EQ(same->size, 10);
    WriteInPlace(folder.path() / "f", 'z');
    EXPECT_NE(ref.store->Head(ref.path)->etag, settled->etag);
  }
}

TEST(SettledMetaTest, IsOfWhatIsOpenWhereverItsNameLeads) {
  const TempFolder folder;
  for (const char* version : {"v1", "v2"}) {
    const ObjectRef ref = folder.Ref(version);
    ref.store->Put(ref.path, version);
  }
  const auto link = folder.path() / "cur";
  std::filesystem::create_symlink("v1", link);
  const auto input = OpenInput(folder.Ref("cur"));
  std::filesystem::remove(link);
  std::filesystem::create_symlink("v2", link);
  const auto settled = SettledMeta(*input);
  ASSERT_TRUE(settled);
  const ObjectRef first = folder.Ref("v1");
  EXPECT_EQ(settled->etag, first.store->Head(first.path)->etag);
}

TEST(SettledMetaTest, IsUnknownOfWhatIsNoFileOfADisk) {
  EXPECT_FALSE(SettledMeta(arrow::io::BufferReader(arrow::Buffer::FromString("x"))));
}

}  // namespace
}  // namespace ariadne::storage
