#include "scan/row_places.h"

#include <algorithm>

#include <arrow/type.h>

#include "duckdb/common/string_util.hpp"

namespace ariadne::scan {

std::string FreeName(const arrow::Schema& schema, std::string name) {
  const auto& fields = schema.fields();
  while (std::any_of(fields.begin(), fields.end(), [&](const auto& field) {
    return duckdb::StringUtil::CIEquals(field->name(), name);
  })) {
    name += '_';
  }
  return name;
}

}  // namespace ariadne::scan
