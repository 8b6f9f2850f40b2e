#include "query/inferred_schema.h"

#include <map>
#include <set>

#include <arrow/type.h>

#include "source/file_uri.h"
#include "source/partition.h"

namespace ariadne::query {

namespace {

using arrow::Type;

/// Place of a type in the order in which whole numbers widen; -1: no whole number.
int Width(const arrow::DataType& type) {
  switch (type.id()) {
    case Type::INT32:
      return 1;
    case Type::INT64:
      return 2;
    case Type::DECIMAL128:
      return 2 + static_cast<const arrow::Decimal128Type&>(type).precision();
    default:
      return -1;
  }
}

/// Spark's rule (PartitioningUtils): a double does not hold every bigint, so the two are text.
std::shared_ptr<arrow::DataType> Common(const std::shared_ptr<arrow::DataType>& a,
                                        const std::shared_ptr<arrow::DataType>& b) {
  if (a->Equals(*b)) return a;
  const int width_a = Width(*a);
  const int width_b = Width(*b);
  if (width_a >= 0 && width_b >= 0) return width_a > width_b ? a : b;
  if (a->id() == Type::DOUBLE && b->id() == Type::INT32) return a;
  if (b->id() == Type::DOUBLE && a->id() == Type::INT32) return b;
  return arrow::utf8();
}

}  // namespace

std::shared_ptr<arrow::Schema> WithAllPartitionColumns(const std::shared_ptr<arrow::Schema>& first,
                                                       const std::vector<std::string>& uris) {
  const auto none = arrow::schema(arrow::FieldVector{});
  std::set<std::string> folders;  // Files of one folder say the same.
  std::map<std::string, std::shared_ptr<arrow::DataType>> types;
  arrow::FieldVector fields = source::WithPartitionColumns(first, uris.front())->fields();
  std::set<std::string> partitions;
  for (const std::string& uri : uris) {
    if (!folders.insert(uri.substr(0, uri.rfind('/'))).second) continue;
    const auto partition = source::WithPartitionColumns(none, uri);
    std::set<std::string> nulls;
    for (const auto& value : source::PartitionValues(uri)) {
      partitions.insert(value.column);
      if (value.is_null) nulls.insert(value.column);
    }
    for (const auto& field : partition->fields()) {
      if (nulls.contains(field->name())) continue;
      auto& type = types[field->name()];
      type = type ? Common(type, field->type()) : field->type();
    }
  }
  for (auto& field : fields) {
    const auto type = types.find(field->name());
    if (type != types.end() && partitions.contains(field->name())) {
      field = field->WithType(type->second);
    }
  }
  return arrow::schema(std::move(fields), first->metadata());
}

}  // namespace ariadne::query
