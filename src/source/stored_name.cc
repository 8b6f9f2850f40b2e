#include "source/stored_name.h"

#include <algorithm>

#include <arrow/type.h>
#include <arrow/util/key_value_metadata.h>
#include <nlohmann/json.hpp>

namespace ariadne::source {

namespace {

constexpr char kPhysicalName[] = "delta.columnMapping.physicalName";

bool HasOtherStoredNames(const arrow::Field& field) {
  const auto& members = field.type()->fields();
  return StoredName(field) != field.name() ||
         std::any_of(members.begin(), members.end(),
                     [](const auto& member) { return HasOtherStoredNames(*member); });
}

}  // namespace

std::string StoredName(const arrow::Field& field) {
  const int at = field.metadata() == nullptr ? -1 : field.metadata()->FindKey(kSparkFieldMetadata);
  if (at < 0) return field.name();
  const auto metadata = nlohmann::json::parse(field.metadata()->value(at), nullptr, false);
  if (!metadata.is_object()) return field.name();
  const auto name = metadata.find(kPhysicalName);
  return name != metadata.end() && name->is_string() ? name->get<std::string>() : field.name();
}

bool HasOtherStoredNames(const arrow::Schema& schema) {
  return std::any_of(schema.fields().begin(), schema.fields().end(),
                     [](const auto& field) { return HasOtherStoredNames(*field); });
}

}  // namespace ariadne::source
