#include "build/built_cells.h"

#include <sstream>

#include <arrow/array.h>
#include <arrow/array/builder_base.h>
#include <arrow/array/util.h>
#include <arrow/type.h>
#include <nlohmann/json.hpp>

#include "ariadne/errors.h"
#include "index/guava_bloom.h"

namespace ariadne::build {

namespace {

using Json = nlohmann::json;

template <typename T>
T Unwrap(arrow::Result<T> result) {
  if (!result.ok()) throw Error("cannot make an index cell: " + result.status().message());
  return result.MoveValueUnsafe();
}

/// A number 0, or an object whose members all are.
bool AllZero(const Json& counts) {
  if (counts.is_number_integer()) return counts.get<int64_t>() == 0;
  if (!counts.is_object() || counts.empty()) return false;
  for (const auto& [name, count] : counts.items()) {
    if (!AllZero(count)) return false;
  }
  return true;
}

}  // namespace

std::shared_ptr<arrow::Array> BuiltCell(const IndexedColumn& column,
                                        const std::shared_ptr<arrow::Array>& cell) {
  if (cell->IsValid(0)) return cell;
  switch (column.kind) {
    case IndexedColumn::Kind::kBloom:
      return index::FilterCell(index::GuavaBloom(1, column.fpr).Serialize());
    case IndexedColumn::Kind::kRange: {
      arrow::ArrayVector members;
      for (const auto& field : cell->type()->fields()) {
        members.push_back(Unwrap(arrow::MakeArrayOfNull(field->type(), 1)));
      }
      return Unwrap(arrow::StructArray::Make(members, cell->type()->fields()));
    }
    case IndexedColumn::Kind::kRegular:
    case IndexedColumn::Kind::kComputed:
    case IndexedColumn::Kind::kTemporal:
    case IndexedColumn::Kind::kExploded:
      break;
  }
  auto builder = Unwrap(arrow::MakeBuilder(cell->type()));
  const auto status = builder->AppendEmptyValue();
  if (!status.ok()) throw Error("cannot make an index cell: " + status.message());
  return Unwrap(builder->Finish());
}

bool NullFilterProvesNoValue(const storage::DeltaTable& main, const std::string& storage_column) {
  const storage::ObjectRef first = main.FileRef("_delta_log/00000000000000000000.json");
  std::string log;
  try {
    const auto buffer = first.store->Get(first.path);
    log.assign(reinterpret_cast<const char*>(buffer->data()), buffer->size());
  } catch (const StorageError&) {
    return false;  // Cleaned up, or unreadable: nothing is proven.
  }
  bool by_spark = false;
  bool has_column = false;
  const auto text = [](const Json& object, const char* key) {
    const auto found = object.find(key);
    return found != object.end() && found->is_string() ? found->get<std::string>() : "";
  };
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    const Json action = Json::parse(line, nullptr, false);
    if (!action.is_object()) continue;
    if (const auto info = action.find("commitInfo"); info != action.end() && info->is_object()) {
      by_spark = text(*info, "engineInfo").find("Apache-Spark") != std::string::npos;
    }
    if (const auto table = action.find("metaData"); table != action.end() && table->is_object()) {
      const Json schema = Json::parse(text(*table, "schemaString"), nullptr, false);
      if (!schema.is_object()) continue;
      for (const Json& field : schema.value("fields", Json::array())) {
        if (field.is_object() && text(field, "name") == storage_column) has_column = true;
      }
    }
  }
  return by_spark && has_column;
}

bool StatisticsProveNoNull(const storage::DataFile& file, const std::string& storage_column) {
  const Json statistics = Json::parse(file.stats_json, nullptr, false);
  if (!statistics.is_object()) return false;
  const auto counts = statistics.find("nullCount");
  if (counts == statistics.end() || !counts->is_object()) return false;
  const auto count = counts->find(storage_column);
  return count != counts->end() && AllZero(*count);
}

}  // namespace ariadne::build
