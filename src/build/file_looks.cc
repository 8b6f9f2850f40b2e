#include "build/file_looks.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ariadne/errors.h"
#include "source/file_uri.h"

namespace ariadne::build {

namespace {

/// Files of one folder from which on listing it is cheaper than asking for each.
constexpr size_t kListFrom = 16;
constexpr size_t kThreads = 16;

struct Look {
  const std::string* name = nullptr;
  storage::ObjectRef object;
  std::optional<storage::ObjectMeta> meta;
};

void LookInFolder(const std::string& folder, const std::vector<Look*>& looks) {
  const storage::ObjectStore& store = *looks.front()->object.store;
  if (store.is_local() || looks.size() < kListFrom) {
    for (Look* look : looks) look->meta = store.Head(look->object.path);
    return;
  }
  std::unordered_map<std::string, storage::ObjectMeta> listed;
  for (storage::ObjectMeta& object : store.List(folder)) {
    std::string path = object.path;
    listed.emplace(std::move(path), std::move(object));
  }
  for (Look* look : looks) {
    const auto found = listed.find(look->object.path);
    if (found != listed.end()) look->meta = found->second;
  }
}

}  // namespace

std::map<std::string, std::optional<storage::ObjectMeta>> LookAtFiles(
    const UpdateTarget& target, const std::set<std::string>& names) {
  std::vector<Look> looks;
  looks.reserve(names.size());
  for (const std::string& name : names) {
    looks.push_back(
        {&name, target.stores->Resolve(source::MapPath(name, target.options.path_map)), {}});
  }
  std::map<std::pair<storage::ObjectStore*, std::string>, std::vector<Look*>> by_folder;
  for (Look& look : looks) {
    const size_t slash = look.object.path.rfind('/');
    by_folder[{look.object.store.get(),
               slash == std::string::npos ? "" : look.object.path.substr(0, slash)}]
        .push_back(&look);
  }
  std::vector<std::pair<std::string, std::vector<Look*>>> folders;
  for (auto& [folder, files] : by_folder) folders.emplace_back(folder.second, std::move(files));

  std::atomic<size_t> next = 0;
  std::mutex mutex;
  std::exception_ptr failure;
  const auto work = [&] {
    for (size_t i = next++; i < folders.size(); i = next++) {
      try {
        LookInFolder(folders[i].first, folders[i].second);
      } catch (...) {
        const std::lock_guard guard(mutex);
        failure = std::current_exception();
        next = folders.size();
      }
    }
  };
  {
    std::vector<std::jthread> threads;
    for (size_t i = 1; i < std::min(folders.size(), kThreads); ++i) threads.emplace_back(work);
    work();
  }
  if (failure) std::rethrow_exception(failure);
  std::map<std::string, std::optional<storage::ObjectMeta>> found;
  for (Look& look : looks) found.emplace(*look.name, std::move(look.meta));
  return found;
}

}  // namespace ariadne::build
