#include "build/staging_removal.h"

#include <set>
#include <string>

#include <nlohmann/json.hpp>

#include "ariadne/errors.h"

namespace ariadne::build {

namespace {

storage::ObjectRef Note(const storage::IndexLayout& layout) {
  return storage::IndexLayout::Join(layout.native(), "staging_merged.json");
}

void Remove(const storage::IndexLayout& layout) {
  const storage::ObjectRef staging = layout.staging();
  staging.store->DeleteFolder(staging.path);
  const storage::ObjectRef note = Note(layout);
  note.store->Delete(note.path);
}

/// True where everything in the staging folder is what the note lists, or no table at all.
bool IsMerged(const storage::IndexLayout& layout, const std::set<std::string>& merged) {
  try {
    const auto table = storage::DeltaTable::Open(layout.staging());
    if (table == nullptr) return true;
    for (const storage::DataFile& file : table->files()) {
      if (!merged.contains(file.path)) return false;
    }
    return true;
  } catch (const InvalidDeltaTable&) {
    // A removal that was cut off leaves such a folder; nobody can begin a table in it.
    return true;
  }
}

}  // namespace

void RemoveStaging(const storage::IndexLayout& layout, const storage::DeltaTable& staging) {
  nlohmann::json files = nlohmann::json::array();
  for (const storage::DataFile& file : staging.files()) files.push_back(file.path);
  const storage::ObjectRef note = Note(layout);
  note.store->Put(note.path, nlohmann::json{{"files", files}}.dump(
                                 -1, ' ', false, nlohmann::json::error_handler_t::replace));
  Remove(layout);
}

void FinishStagingRemoval(const storage::IndexLayout& layout) {
  const storage::ObjectRef note = Note(layout);
  std::set<std::string> merged;
  try {
    const auto buffer = note.store->Get(note.path);
    const auto json =
        nlohmann::json::parse(buffer->data(), buffer->data() + buffer->size(), nullptr, false);
    if (json.is_object()) {
      for (const auto& file : json.value("files", nlohmann::json::array())) {
        if (file.is_string()) merged.insert(file.get<std::string>());
      }
    }
  } catch (const ObjectNotFound&) {
    return;
  }
  if (IsMerged(layout, merged)) {
    Remove(layout);
  } else {
    note.store->Delete(note.path);
  }
}

}  // namespace ariadne::build
