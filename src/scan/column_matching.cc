#include "scan/column_matching.h"

#include <arrow/type.h>

#include <optional>
#include <string>
#include <vector>

#include "duckdb/common/exception.hpp"
#include "duckdb/common/string_util.hpp"
#include "duckdb/parser/expression/constant_expression.hpp"
#include "parquet_reader.hpp"
#include "scan/column_types.h"
#include "source/stored_name.h"

namespace ariadne::scan {

namespace {

using duckdb::LogicalType;
using duckdb::LogicalTypeId;
using duckdb::MultiFileColumnDefinition;
using duckdb::ParquetColumnSchema;

bool HoldsStruct(const LogicalType& type) {
  switch (type.id()) {
    case LogicalTypeId::STRUCT:
      return true;
    case LogicalTypeId::LIST:
      return HoldsStruct(duckdb::ListType::GetChildType(type));
    case LogicalTypeId::MAP:
      return HoldsStruct(duckdb::MapType::KeyType(type)) ||
             HoldsStruct(duckdb::MapType::ValueType(type));
    default:
      return false;
  }
}

// Children are given only where names below decide: without them the mapper casts the whole value.
MultiFileColumnDefinition Declare(const std::string& name, const LogicalType& type) {
  MultiFileColumnDefinition column(name, type);
  column.default_expression = duckdb::make_uniq<duckdb::ConstantExpression>(duckdb::Value(type));
  if (!HoldsStruct(type)) return column;
  switch (type.id()) {
    case LogicalTypeId::STRUCT:
      for (const auto& [child, child_type] : duckdb::StructType::GetChildTypes(type)) {
        column.children.push_back(Declare(child, child_type));
      }
      break;
    case LogicalTypeId::LIST:
      column.children.push_back(Declare("element", duckdb::ListType::GetChildType(type)));
      break;
    case LogicalTypeId::MAP:
      column.children.push_back(Declare("key", duckdb::MapType::KeyType(type)));
      column.children.push_back(Declare("value", duckdb::MapType::ValueType(type)));
      break;
    default:
      break;
  }
  return column;
}

// Same bytes, other logical type: the column reader of the declared type reads them. A UUID is the
// sixteen bytes that it is to Spark's types.
bool StoresSameValues(const LogicalType& file, const LogicalType& declared) {
  auto is_text = [](LogicalTypeId id) {
    return id == LogicalTypeId::VARCHAR || id == LogicalTypeId::BLOB;
  };
  auto is_timestamp = [](LogicalTypeId id) {
    return id == LogicalTypeId::TIMESTAMP || id == LogicalTypeId::TIMESTAMP_TZ;
  };
  if (is_text(declared.id())) {
    return is_text(file.id()) ||
           (file.id() == LogicalTypeId::UUID && declared.id() == LogicalTypeId::BLOB);
  }
  if (is_timestamp(declared.id())) {
    return is_timestamp(file.id()) || file.id() == LogicalTypeId::TIMESTAMP_NS;
  }
  return false;
}

class Matcher {
 public:
  explicit Matcher(duckdb::ParquetReader& reader) : reader_(reader) {}

  // Renames and retypes `children` (and their definitions) after the declared fields, whose types
  // in the engine are `types`.
  void MatchChildren(duckdb::vector<ParquetColumnSchema>& children,
                     duckdb::vector<MultiFileColumnDefinition>& columns,
                     const arrow::FieldVector& fields, const std::vector<LogicalType>& types,
                     const std::string& below) {
    std::vector<std::string> stored;
    for (const auto& child : children) stored.push_back(StoredName(child));
    std::vector<bool> taken(children.size());
    for (size_t i = 0; i < fields.size(); ++i) {
      const arrow::Field& field = *fields[i];
      const auto at = FindName(stored, source::StoredName(field), below);
      if (!at) continue;
      taken[*at] = true;
      Rename(children[*at], columns[*at], field.name());
      Match(children[*at], columns[*at], types[i], *field.type(), below + field.name());
    }
    for (size_t i = 0; i < children.size(); ++i) {
      // A name that no SQL text writes, so that the mapper cannot find what was not chosen.
      if (!taken[i]) Rename(children[i], columns[i], '\x01' + std::to_string(i) + stored[i]);
    }
  }

 private:
  static void Rename(ParquetColumnSchema& schema, MultiFileColumnDefinition& column,
                     const std::string& name) {
    schema.name = name;
    column.name = name;
  }

  // The reader has made names unique without case; the footer has them as written.
  std::string StoredName(const ParquetColumnSchema& schema) const {
    const auto& elements = reader_.GetFileMetadata()->schema;
    // A list or a one-field group that was pulled up is named after its parent.
    const auto index =
        schema.parent_schema_index.IsValid() ? schema.parent_schema_index : schema.schema_index;
    if (!index.IsValid() || index.GetIndex() >= elements.size()) return schema.name;
    const std::string& stored = elements[index.GetIndex()].name;
    return duckdb::StringUtil::StartsWith(schema.name, stored) ? stored : schema.name;
  }

  std::optional<size_t> FindName(const std::vector<std::string>& stored, const std::string& name,
                                 const std::string& below) const {
    std::optional<size_t> found;
    bool twice = false;
    for (size_t i = 0; i < stored.size(); ++i) {
      if (stored[i] == name) return i;
      if (duckdb::StringUtil::CIEquals(stored[i], name)) {
        twice = found.has_value();
        found = i;
      }
    }
    if (twice) {
      throw duckdb::InvalidInputException(
          "Reading \"%s\": column \"%s\" matches two columns of the file, \"%s\" among them, when "
          "case is ignored: declare it as it is written in the file",
          reader_.GetFileName(), below + name, stored[*found]);
    }
    return found;
  }

  void Match(ParquetColumnSchema& schema, MultiFileColumnDefinition& column,
             const LogicalType& declared, const arrow::DataType& type, const std::string& path) {
    if (schema.schema_type == duckdb::ParquetColumnSchemaType::COLUMN) {
      MatchNested(schema, column, declared, type, path);
    }
    column.type = schema.type;
    if (!CanWiden(schema.type, declared)) {
      throw duckdb::InvalidInputException(
          "Reading \"%s\": column \"%s\" is stored as %s, which cannot be read as the declared %s",
          reader_.GetFileName(), path, schema.type.ToString(), declared.ToString());
    }
  }

  void MatchNested(ParquetColumnSchema& schema, MultiFileColumnDefinition& column,
                   const LogicalType& declared, const arrow::DataType& type,
                   const std::string& path) {
    if (schema.children.empty()) {
      if (StoresSameValues(schema.type, declared)) schema.type = declared;
      return;
    }
    if (schema.type.id() != declared.id()) return;
    switch (declared.id()) {
      case LogicalTypeId::STRUCT:
        MatchStruct(schema, column, declared, type, path);
        break;
      case LogicalTypeId::LIST: {
        const auto& child_type = duckdb::ListType::GetChildType(declared);
        Rename(schema.children[0], column.children[0], "element");
        Match(schema.children[0], column.children[0], child_type, *type.field(0)->type(),
              path + ".element");
        schema.type = LogicalType::LIST(schema.children[0].type);
        break;
      }
      case LogicalTypeId::MAP:
        MatchMap(schema, column, declared, type, path);
        break;
      default:
        break;
    }
    if (!HoldsStruct(declared)) column.children.clear();
  }

  void MatchStruct(ParquetColumnSchema& schema, MultiFileColumnDefinition& column,
                   const LogicalType& declared, const arrow::DataType& type,
                   const std::string& path) {
    std::vector<LogicalType> types;
    for (const auto& child : duckdb::StructType::GetChildTypes(declared)) {
      types.push_back(child.second);
    }
    MatchChildren(schema.children, column.children, type.fields(), types, path + ".");
    duckdb::child_list_t<LogicalType> children;
    for (const auto& child : schema.children) children.emplace_back(child.name, child.type);
    schema.type = LogicalType::STRUCT(std::move(children));
  }

  void MatchMap(ParquetColumnSchema& schema, MultiFileColumnDefinition& column,
                const LogicalType& declared, const arrow::DataType& type, const std::string& path) {
    const auto& map = static_cast<const arrow::MapType&>(type);
    auto& entry = schema.children[0];
    auto& entry_column = column.children[0];
    if (entry.children.size() != 2) return;
    Rename(entry.children[0], entry_column.children[0], "key");
    Rename(entry.children[1], entry_column.children[1], "value");
    Match(entry.children[0], entry_column.children[0], duckdb::MapType::KeyType(declared),
          *map.key_type(), path + ".key");
    Match(entry.children[1], entry_column.children[1], duckdb::MapType::ValueType(declared),
          *map.item_type(), path + ".value");
    schema.type = LogicalType::MAP(entry.children[0].type, entry.children[1].type);
    entry.type = duckdb::ListType::GetChildType(schema.type);
    entry_column.type = entry.type;
  }

  duckdb::ParquetReader& reader_;
};

}  // namespace

MultiFileColumnDefinition DeclareColumn(const arrow::Field& field) {
  return Declare(field.name(), ToEngineType(field));
}

void MatchColumns(duckdb::ParquetReader& reader, const arrow::FieldVector& read) {
  std::vector<LogicalType> types;
  for (const auto& field : read) types.push_back(ToEngineType(*field));
  Matcher(reader).MatchChildren(reader.root_schema->children, reader.columns, read, types, "");
}

}  // namespace ariadne::scan
