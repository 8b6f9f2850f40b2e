#include "scan/storage_file_system.h"

#include <arrow/io/interfaces.h>
#include <arrow/result.h>
#include <arrow/status.h>

#include <algorithm>
#include <atomic>
#include <optional>
#include <string>
#include <utility>

#include "ariadne/errors.h"
#include "duckdb/common/exception.hpp"
#include "duckdb/common/file_system.hpp"
#include "duckdb/common/open_file_info.hpp"
#include "duckdb/main/database.hpp"
#include "scan/gone_file.h"
#include "scan/plain_copy_file.h"
#include "storage/arrow_io.h"

namespace ariadne::scan {

namespace {

using duckdb::FileHandle;
using duckdb::FileOpener;
using duckdb::FileOpenFlags;
using duckdb::OpenFileInfo;
using duckdb::optional_ptr;

constexpr char kSizeOption[] = "file_size";

struct StorageHandle : FileHandle {
  StorageHandle(duckdb::FileSystem& system, const std::string& path, FileOpenFlags flags,
                std::shared_ptr<arrow::io::RandomAccessFile> opened, bool local)
      : FileHandle(system, path, flags), file(std::move(opened)), on_disk(local) {
    auto got = file->GetSize();
    if (!got.ok()) throw duckdb::IOException("\"%s\": %s", path, got.status().message());
    size = *got;
  }
  void Close() override {}

  std::shared_ptr<arrow::io::RandomAccessFile> file;
  int64_t size = 0;
  int64_t position = 0;
  bool on_disk;
};

class StorageFileSystem : public duckdb::FileSystem {
 public:
  /// `host`: whose extensions come first; nullptr: none does.
  StorageFileSystem(std::shared_ptr<const storage::Stores> stores, duckdb::DatabaseInstance* host)
      : stores_(std::move(stores)), host_(host) {}

  std::string GetName() const override { return "AriadneStorage"; }

  bool CanHandleFile(const std::string& path) override {
    if (path.starts_with("file://")) return true;
    if (path.find("://") == std::string::npos) return false;
    return host_ == nullptr ||
           !(host_->ExtensionIsLoaded("httpfs") || host_->ExtensionIsLoaded("azure"));
  }

  duckdb::unique_ptr<FileHandle> OpenFile(const std::string& path, FileOpenFlags flags,
                                          optional_ptr<FileOpener> opener) override {
    return OpenFileExtended(OpenFileInfo(path), flags, opener);
  }

  void Read(FileHandle& handle, void* buffer, int64_t length, duckdb::idx_t location) override {
    const int64_t got = ReadAt(handle, static_cast<int64_t>(location), length, buffer);
    if (got != length) {
      throw duckdb::IOException(
          "\"%s\" ends at byte %lld, where byte %lld was to be read: it was cut off or replaced",
          handle.path, static_cast<int64_t>(location) + got,
          static_cast<int64_t>(location) + length);
    }
  }

  int64_t Read(FileHandle& handle, void* buffer, int64_t length) override {
    auto& file = handle.Cast<StorageHandle>();
    const int64_t wanted = std::min(length, file.size - file.position);
    if (wanted <= 0) return 0;
    const int64_t got = ReadAt(handle, file.position, wanted, buffer);
    file.position += got;
    return got;
  }

  int64_t GetFileSize(FileHandle& handle) override { return handle.Cast<StorageHandle>().size; }
  // A host's cache may not keep contents: under a name they would outlive a file that is
  // overwritten in place. So no two opened files are the same one.
  duckdb::timestamp_t GetLastModifiedTime(FileHandle&) override { return duckdb::timestamp_t(0); }
  std::string GetVersionTag(FileHandle&) override { return std::to_string(++opened_); }
  duckdb::FileType GetFileType(FileHandle&) override { return duckdb::FileType::FILE_TYPE_REGULAR; }

  bool FileExists(const std::string& path, optional_ptr<FileOpener>) override {
    const auto object = stores_->Resolve(path);
    return object.store->Head(object.path).has_value();
  }
  bool IsPipe(const std::string&, optional_ptr<FileOpener>) override { return false; }
  bool DirectoryExists(const std::string&, optional_ptr<FileOpener>) override { return false; }

  duckdb::vector<OpenFileInfo> Glob(const std::string& path, FileOpener*) override {
    return {OpenFileInfo(path)};
  }

  void Seek(FileHandle& handle, duckdb::idx_t location) override {
    handle.Cast<StorageHandle>().position = static_cast<int64_t>(location);
  }
  void Reset(FileHandle& handle) override { Seek(handle, 0); }
  duckdb::idx_t SeekPosition(FileHandle& handle) override {
    return static_cast<duckdb::idx_t>(handle.Cast<StorageHandle>().position);
  }
  bool CanSeek() override { return true; }
  bool OnDiskFile(FileHandle& handle) override { return handle.Cast<StorageHandle>().on_disk; }

 protected:
  bool SupportsOpenFileExtended() const override { return true; }

  duckdb::unique_ptr<FileHandle> OpenFileExtended(const OpenFileInfo& info, FileOpenFlags flags,
                                                  optional_ptr<FileOpener>) override {
    if (flags.OpenForWriting()) {
      throw duckdb::PermissionException("\"%s\" is opened for reading only", info.path);
    }
    const auto object = stores_->Resolve(PathToRead(info));
    const bool local = object.store->is_local();
    try {
      // A local file tells its size at no cost; elsewhere a known one saves a request.
      return duckdb::make_uniq<StorageHandle>(
          *this, info.path, flags,
          storage::OpenInput(object, local ? std::nullopt : KnownSize(info)), local);
    } catch (const ObjectNotFound&) {
      if (flags.ReturnNullIfNotExists()) return nullptr;
      ThrowGone(info.path);
    }
  }

 private:
  static std::string PathToRead(const OpenFileInfo& info) {
    if (!info.extended_info) return info.path;
    const auto& options = info.extended_info->options;
    const auto it = options.find(kReadFrom);
    return it == options.end() ? info.path : "file://" + it->second.ToString();
  }

  static std::optional<int64_t> KnownSize(const OpenFileInfo& info) {
    if (!info.extended_info) return std::nullopt;
    const auto& options = info.extended_info->options;
    const auto it = options.find(kSizeOption);
    if (it == options.end()) return std::nullopt;
    return static_cast<int64_t>(it->second.GetValue<uint64_t>());
  }

  static int64_t ReadAt(FileHandle& handle, int64_t position, int64_t length, void* buffer) {
    auto got = handle.Cast<StorageHandle>().file->ReadAt(position, length, buffer);
    if (!got.ok()) throw duckdb::IOException("\"%s\": %s", handle.path, got.status().message());
    return *got;
  }

  std::shared_ptr<const storage::Stores> stores_;
  duckdb::DatabaseInstance* host_;
  std::atomic<int64_t> opened_{0};
};

}  // namespace

void MountStorage(duckdb::DatabaseInstance& database, std::shared_ptr<const storage::Stores> stores,
                  UrlsRead urls) {
  duckdb::FileSystem::GetFileSystem(database).RegisterSubSystem(
      duckdb::make_uniq<StorageFileSystem>(std::move(stores),
                                           urls == UrlsRead::kAll ? nullptr : &database));
}

const arrow::io::RandomAccessFile* LocalInputOf(const duckdb::FileHandle& handle) {
  const auto* ours = dynamic_cast<const StorageHandle*>(&handle);
  return ours != nullptr && ours->on_disk ? ours->file.get() : nullptr;
}

}  // namespace ariadne::scan
