#include "build/retained_files.h"

#include <string_view>

#include <nlohmann/json.hpp>

#include "ariadne/errors.h"
#include "source/lake_name.h"
#include "storage/layout.h"

namespace ariadne::build {

namespace {

std::string LastPart(const std::string& path) { return path.substr(path.rfind('/') + 1); }

/// Adds what one commit removed at or after the cutoff.
void AddRemoved(const storage::ObjectMeta& commit, std::string_view text, int64_t cutoff_ms,
                std::set<std::string>* names) {
  while (!text.empty()) {
    const size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.find("\"remove\"") == std::string_view::npos) continue;
    const auto action = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
    if (!action.is_object()) continue;
    const auto remove = action.find("remove");
    if (remove == action.end() || !remove->is_object()) continue;
    const auto when = remove->find("deletionTimestamp");
    const int64_t removed_ms = when != remove->end() && when->is_number_integer()
                                   ? when->get<int64_t>()
                                   : commit.modified_ms;
    const auto path = remove->find("path");
    if (removed_ms < cutoff_ms || path == remove->end() || !path->is_string()) continue;
    names->insert(LastPart(source::Unescape(path->get<std::string>())));
  }
}

}  // namespace

std::set<std::string> RetainedFiles(const storage::DeltaTable& table, int64_t cutoff_ms) {
  std::set<std::string> names;
  for (const storage::DataFile& file : table.files()) names.insert(LastPart(file.path));
  const storage::ObjectRef log = storage::IndexLayout::Join(table.folder(), "_delta_log");
  for (const storage::ObjectMeta& object : log.store->List(log.path)) {
    const std::string name = LastPart(object.path);
    if (name.starts_with('.') || !name.ends_with(".json")) continue;
    try {
      const auto buffer = log.store->Get(object.path);
      AddRemoved(
          object,
          {reinterpret_cast<const char*>(buffer->data()), static_cast<size_t>(buffer->size())},
          cutoff_ms, &names);
    } catch (const ObjectNotFound&) {
      // Cleaned up between listing and reading.
    }
  }
  return names;
}

}  // namespace ariadne::build
