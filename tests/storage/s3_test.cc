#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <thread>

#include <arpa/inet.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <arrow/array/builder_binary.h>
#include <arrow/buffer.h>
#include <arrow/record_batch.h>
#include <arrow/scalar.h>
#include <arrow/table.h>

#include "ariadne/errors.h"
#include "storage/arrow_io.h"
#include "storage/delta_table.h"
#include "storage/delta_writer.h"
#include "storage/file_list.h"
#include "storage/lock.h"
#include "storage/object_store.h"
#include "temp_folder.h"

namespace ariadne::storage {
namespace {

/// moto's S3 server on a free loopback port, as long as the object lives.
class S3Server {
 public:
  S3Server() {
    const int probe = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    (void)::bind(probe, reinterpret_cast<sockaddr*>(&address), sizeof(address));
    (void)::getsockname(probe, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    ::close(probe);
    const std::string port = std::to_string(port_);
    child_ = ::fork();
    if (child_ == 0) {
      const int log = ::open((folder_.path() / "moto.log").c_str(), O_CREAT | O_WRONLY, 0600);
      ::dup2(log, 1);
      ::dup2(log, 2);
      ::execl(ARIADNE_TEST_PYTHON, "python", "-m", "moto.server", "-H", "127.0.0.1", "-p",
              port.c_str(), nullptr);
      ::_exit(127);
    }
  }
  ~S3Server() {
    ::kill(child_, SIGTERM);
    ::waitpid(child_, nullptr, 0);
  }

  [[nodiscard]] std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }

  /// Waits until it answers and makes the bucket; false: it ended or does not answer.
  bool MakeBucket(const std::string& bucket) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(90);
    while (std::chrono::steady_clock::now() < deadline) {
      if (::waitpid(child_, nullptr, WNOHANG) != 0) return false;
      if (Request("PUT /" + bucket)) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    return false;
  }

 private:
  bool Request(const std::string& what) const {
    const int connection = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port_);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    bool answered = false;
    if (::connect(connection, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0) {
      const std::string text = what +
                               " HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 0\r\n"
                               "Connection: close\r\n\r\n";
      (void)!::write(connection, text.data(), text.size());
      char answer[16] = "";
      answered = ::read(connection, answer, sizeof(answer) - 1) > 12 &&
                 std::string(answer).find(" 200") != std::string::npos;
    }
    ::close(connection);
    return answered;
  }

  TempFolder folder_;
  pid_t child_ = -1;
  uint16_t port_ = 0;
};

constexpr char kSchema[] =
    R"({"type":"struct","fields":[{"name":"k","type":"string","nullable":true,"metadata":{}}]})";

DataFile WriteKeys(const ObjectRef& folder, const std::vector<std::string>& keys) {
  arrow::StringBuilder builder;
  EXPECT_TRUE(builder.AppendValues(keys).ok());
  const auto schema = arrow::schema({arrow::field("k", arrow::utf8())});
  DeltaFileWriter writer(folder, schema);
  writer.Write(
      *arrow::RecordBatch::Make(schema, static_cast<int64_t>(keys.size()), {*builder.Finish()}));
  return writer.Finish();
}

class S3Test : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    server_ = new S3Server;
    ready_ = server_->MakeBucket("lake");
  }
  static void TearDownTestSuite() {
    delete server_;
    server_ = nullptr;
  }
  void SetUp() override {
    ASSERT_TRUE(ready_) << "moto's S3 server did not start: " << ARIADNE_TEST_PYTHON;
  }

  static std::map<std::string, std::string> Options() {
    return {{"aws_endpoint", server_->url()},
            {"aws_region", "us-east-1"},
            {"aws_access_key_id", "test"},
            {"aws_secret_access_key", "test"}};
  }
  [[nodiscard]] ObjectRef Ref(const std::string& key) const {
    return stores_.Resolve("s3a://lake/" + key);
  }

  static S3Server* server_;
  static bool ready_;
  Stores stores_{Options()};
};

S3Server* S3Test::server_ = nullptr;
bool S3Test::ready_ = false;

TEST_F(S3Test, ObjectsHaveTheSameMeaningAsOnALocalDisk) {
  const ObjectRef ref = Ref("objects/a b%20[x] ü");
  EXPECT_EQ(ref.store->base_url(), "s3://lake/");
  EXPECT_FALSE(ref.store->is_local());
  EXPECT_FALSE(ref.store->Head(ref.path).has_value());
  EXPECT_THROW((void)ref.store->Get(ref.path), ObjectNotFound);
  EXPECT_TRUE(ref.store->PutIfAbsent(ref.path, "0123456789"));
  EXPECT_FALSE(ref.store->PutIfAbsent(ref.path, "other"));
  EXPECT_EQ(ref.store->Head(ref.path)->size, 10);
  EXPECT_EQ(ref.store->GetRange(ref.path, 8, 100)->ToString(), "89");
  EXPECT_EQ(ref.store->GetRange(ref.path, 50, 5)->ToString(), "");
  std::string etag;
  EXPECT_EQ(ref.store->Get(ref.path, &etag)->ToString(), "0123456789");
  EXPECT_TRUE(ref.store->PutIfMatch(ref.path, "two", etag));
  EXPECT_FALSE(ref.store->PutIfMatch(ref.path, "three", etag));
  EXPECT_EQ(ref.store->Get(ref.path)->ToString(), "two");
  const auto listed = ref.store->List("objects");
  ASSERT_EQ(listed.size(), 1U);
  EXPECT_EQ(listed[0].path, ref.path);
  EXPECT_EQ(ref.store->ListNames(""), std::vector<std::string>{"objects/"});
  ref.store->DeleteFolder("objects");
  EXPECT_TRUE(ref.store->List("objects").empty());
  ref.store->Delete(ref.path);
}

TEST_F(S3Test, OptionsComeFromTheEnvironmentToo) {
  for (const auto& [key, value] : Options()) {
    std::string name = key == "aws_endpoint" ? "AWS_ENDPOINT_URL" : key;
    for (char& c : name) c = static_cast<char>(std::toupper(c));
    ::setenv(name.c_str(), value.c_str(), 1);
  }
  const ObjectRef ref = Stores().Resolve("s3://lake/environment/x");
  ref.store->Put(ref.path, "x");
  EXPECT_EQ(ref.store->Get(ref.path)->ToString(), "x");
  ref.store->Delete(ref.path);
}

TEST_F(S3Test, LargeObjectsGoInParts) {
  const ObjectRef ref = Ref("parts/large");
  const std::string chunk(11'000'000, 'p');
  auto out = OpenOutput(ref);
  for (int i = 0; i < 4; ++i) {
    ASSERT_TRUE(out->Write(chunk.data(), static_cast<int64_t>(chunk.size())).ok());
  }
  ASSERT_TRUE(out->Close().ok());
  const auto input = OpenInput(ref);
  EXPECT_EQ(*input->GetSize(), 44'000'000);
  EXPECT_EQ((*input->ReadAt(43'999'990, 100))->ToString(), std::string(10, 'p'));
  ref.store->Delete(ref.path);
}

TEST_F(S3Test, DeltaTablesAreCreatedAppendedAndConflictsDetected) {
  const ObjectRef ref = Ref("indexes/[x] %41/index");
  EXPECT_EQ(DeltaTable::Open(ref), nullptr);
  const auto base = DeltaTable::Create(ref, kSchema);
  TableChange change;
  change.operation = "WRITE";
  change.adds = {WriteKeys(ref, {"a", "b"})};
  auto table = base->Commit(change);
  EXPECT_EQ(table->version(), 1);
  EXPECT_THROW((void)base->Commit(change), CommitConflict);
  for (int i = 2; i <= 11; ++i) {
    change.adds = {WriteKeys(ref, {"k" + std::to_string(i)})};
    table = table->Commit(change);
  }
  const auto opened = DeltaTable::Open(ref);
  EXPECT_EQ(opened->version(), 11);
  EXPECT_EQ(opened->files().size(), 11U);
  EXPECT_EQ(opened->Read({"k"})->ToTable().ValueOrDie()->num_rows(), 12);
  const auto log = ref.store->ListNames(ref.path + "/_delta_log");
  EXPECT_THAT(log, testing::Contains("00000000000000000010.checkpoint.parquet"));
}

TEST_F(S3Test, LocksAndFileListsWork) {
  ariadne::Options options;
  options.lock_max_wait_seconds = 0;
  const ObjectRef ref = Ref("indexes/l/.update.lock");
  {
    const auto lock = Lock::Acquire(ref, options);
    EXPECT_THROW((void)Lock::Acquire(ref, options), LockTimeout);
    lock->Refresh();
    lock->Check();
  }
  EXPECT_FALSE(ref.store->Head(ref.path).has_value());
  FileList list(Ref("filelists/[ariadne_index] l"));
  EXPECT_EQ(list.Add({"s3a://lake/a", "s3a://lake/b"}), 2);
  EXPECT_EQ(list.Remove({"s3a://lake/a"}), 1);
  EXPECT_EQ(list.Entries().at(0).filename, "s3a://lake/b");
}

TEST_F(S3Test, AWrongBucketIsAnErrorThatNamesIt) {
  const ObjectRef ref = stores_.Resolve("s3://no-such-bucket/x");
  try {
    ref.store->Put(ref.path, "x");
    FAIL();
  } catch (const StorageError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("s3://no-such-bucket/x"));
  }
}

}  // namespace
}  // namespace ariadne::storage
