#include "engine/json_members.h"

#include <arrow/array/array_binary.h>
#include <arrow/array/builder_binary.h>
#include <arrow/chunked_array.h>

#include <nlohmann/json.hpp>

#include "ariadne/errors.h"
#include "engine/session.h"
#include "source/json_numbers.h"

namespace ariadne::engine {

namespace {

arrow::Status Append(const nlohmann::json& record, const std::string& name,
                     arrow::StringBuilder& column) {
  const auto member = record.find(name);
  if (member == record.end() || member->is_null()) return column.AppendNull();
  if (member->is_boolean()) return column.Append(member->get<bool>() ? "true" : "false");
  if (member->is_string()) return column.Append(member->get_ref<const std::string&>());
  throw QueryError("column \"" + name + "\" holds lists or objects, which are no keys");
}

}  // namespace

std::vector<std::shared_ptr<arrow::Array>> WrittenMembers(const arrow::ChunkedArray& records,
                                                          const std::vector<std::string>& names) {
  std::vector<arrow::StringBuilder> columns(names.size());
  for (const auto& chunk : records.chunks()) {
    const auto& texts = static_cast<const arrow::StringArray&>(*chunk);
    for (int64_t row = 0; row < texts.length(); ++row) {
      const auto record =
          nlohmann::json::parse(source::QuoteNumbers(texts.GetView(row)), nullptr, false);
      if (record.is_discarded()) {
        throw QueryError("record " + std::to_string(row + 1) + " is no strict JSON");
      }
      for (size_t i = 0; i < names.size(); ++i) {
        ThrowIfFailed(Append(record, names[i], columns[i]));
      }
    }
  }
  std::vector<std::shared_ptr<arrow::Array>> arrays(names.size());
  for (size_t i = 0; i < names.size(); ++i) ThrowIfFailed(columns[i].Finish(&arrays[i]));
  return arrays;
}

}  // namespace ariadne::engine
