#include "storage/delta_table.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <utility>

#include "ariadne/errors.h"
#include "storage/delta_state.h"
#include "storage/layout.h"
#include "storage/lost_table.h"

namespace ariadne::storage {

using internal::Check;
using internal::OwnedBytes;
using internal::PackedReader;

namespace internal {

ObjectRef CommitFile(const ObjectRef& folder, int64_t version) {
  char name[32];
  std::snprintf(name, sizeof(name), "%020lld.json", static_cast<long long>(version));
  return IndexLayout::Join(IndexLayout::Join(folder, "_delta_log"), name);
}

int64_t NowMs() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

}  // namespace internal

namespace {

/// No column mapping, deletion vectors or partitions: the log's files are the rows, by name.
bool IsPlain(const nlohmann::ordered_json& meta_data) {
  if (!meta_data.value("partitionColumns", nlohmann::ordered_json::array()).empty()) return false;
  const auto configuration = meta_data.value("configuration", nlohmann::ordered_json::object());
  return configuration.value("delta.columnMapping.mode", "none") == "none";
}

}  // namespace

void DeltaTable::State::LoadFiles() {
  OwnedBytes out;
  char* message = nullptr;
  Check(ar_table_files(table, out.out(), &message), &message);
  files.clear();  // of a try that failed half-way
  for (PackedReader packed(out.view()); !packed.done();) {
    DataFile file;
    file.path = packed.Text();
    std::string logged = packed.Text();
    file.size = packed.Integer();
    file.modified_ms = packed.Integer();
    file.num_records = packed.Integer();
    file.has_deletion_vector = packed.Integer() != 0;
    file.stats_json = packed.Text();
    if (logged != file.path) logged_paths.emplace(file.path, std::move(logged));
    files.push_back(std::move(file));
  }
  std::sort(files.begin(), files.end(),
            [](const DataFile& a, const DataFile& b) { return a.path < b.path; });
}

DeltaTable::DeltaTable(std::shared_ptr<State> state) : state_(std::move(state)) {}

DeltaTable::~DeltaTable() = default;

namespace {

template <typename State>
void Describe(State& state) {
  OwnedBytes out;
  char* message = nullptr;
  Check(ar_table_describe(state.table, out.out(), &message), &message);
  auto described = nlohmann::ordered_json::parse(out.view());
  state.version = described.at("version").template get<int64_t>();
  for (auto& [key, value] : described.at("metaData").items()) {
    if (!value.is_null()) state.meta_data[key] = std::move(value);
  }
  state.protocol = std::move(described.at("protocol"));
  state.schema_json = state.meta_data.at("schemaString").template get<std::string>();
  state.plain = IsPlain(state.meta_data);
  const ObjectRef commit = internal::CommitFile(state.folder, state.version);
  state.commit = commit.store->Head(commit.path);
}

bool Same(const std::optional<ObjectMeta>& a, const std::optional<ObjectMeta>& b) {
  return a.has_value() && b.has_value() && a->size == b->size && a->modified_ms == b->modified_ms &&
         a->etag == b->etag;
}

}  // namespace

std::shared_ptr<DeltaTable> DeltaTable::Open(const ObjectRef& folder) {
  auto state = std::make_shared<State>();
  state->folder = folder;
  char* message = nullptr;
  const int status =
      ar_table_open(folder.store->handle(), folder.path.c_str(), &state->table, &message);
  if (status == AR_NOT_FOUND) {
    ar_message_free(message);
    return nullptr;
  }
  try {
    Check(status, &message);
  } catch (const InvalidDeltaTable& error) {
    throw InvalidDeltaTable(std::string(error.what()) + ". " + HowToBuildAgain(folder));
  }
  Describe(*state);
  return std::shared_ptr<DeltaTable>(new DeltaTable(std::move(state)));
}

std::shared_ptr<DeltaTable> DeltaTable::Refresh() const {
  const auto& store = state_->folder.store;
  const auto commit = internal::CommitFile(state_->folder, state_->version);
  if (!Same(store->Head(commit.path), state_->commit)) return Open(state_->folder);
  const auto next = internal::CommitFile(state_->folder, state_->version + 1);
  if (!store->Head(next.path).has_value()) {
    return std::shared_ptr<DeltaTable>(new DeltaTable(state_));
  }
  auto state = std::make_shared<State>();
  state->folder = state_->folder;
  char* message = nullptr;
  Check(ar_table_refresh(state_->table, &state->table, &message), &message);
  Describe(*state);
  // A refreshed snapshot keeps replaying the commits it has seen; a fresh one begins at the
  // checkpoint.
  if (state->version / 10 != state_->version / 10) return Open(state_->folder);
  return std::shared_ptr<DeltaTable>(new DeltaTable(std::move(state)));
}

const ObjectRef& DeltaTable::folder() const { return state_->folder; }
int64_t DeltaTable::version() const { return state_->version; }
const std::string& DeltaTable::schema_json() const { return state_->schema_json; }

const std::vector<DataFile>& DeltaTable::files() const {
  std::call_once(state_->files_once, [this] { state_->LoadFiles(); });
  return state_->files;
}

bool DeltaTable::is_plain() const {
  return state_->plain && std::none_of(files().begin(), files().end(), [](const DataFile& file) {
           return file.has_deletion_vector;
         });
}

ObjectRef DeltaTable::FileRef(const std::string& path) const {
  return IndexLayout::Join(state_->folder, path);
}

std::optional<int64_t> DeltaTable::AppVersion(const std::string& app_id) const {
  int64_t version = 0;
  char* message = nullptr;
  const int status = ar_table_app_version(state_->table, app_id.c_str(), &version, &message);
  if (!Check(status, &message)) return std::nullopt;
  return version;
}

}  // namespace ariadne::storage
