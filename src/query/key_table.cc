#include "query/key_table.h"

#include <set>
#include <utility>

#include <arrow/array.h>
#include <arrow/array/builder_binary.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/array/concatenate.h>
#include <arrow/array/util.h>
#include <arrow/compute/api_vector.h>
#include <arrow/compute/cast.h>
#include <arrow/compute/initialize.h>
#include <arrow/table.h>
#include <arrow/type.h>

#include "ariadne/errors.h"
#include "index/column_index.h"
#include "index/java_utf8.h"
#include "query/arrow_check.h"

namespace ariadne::query {

namespace {

/// The only column of that name. Throws ColumnNotFound, InvalidArgument.
std::shared_ptr<arrow::ChunkedArray> ColumnOf(const arrow::Table& keys, const std::string& column) {
  const std::vector<int> places = keys.schema()->GetAllFieldIndices(column);
  if (places.size() == 1) return keys.column(places.front());
  if (places.size() > 1) throw InvalidArgument("the keys have two columns \"" + column + "\"");
  std::string names;
  for (const auto& field : keys.schema()->fields()) {
    names += (names.empty() ? "\"" : ", \"") + field->name() + "\"";
  }
  throw ColumnNotFound("the keys have no column \"" + column + "\"; they have " +
                       (names.empty() ? "none" : names));
}

std::shared_ptr<arrow::Array> OneArray(const arrow::ChunkedArray& column) {
  if (column.num_chunks() == 1) return column.chunk(0);
  if (column.num_chunks() == 0) {
    return Check(arrow::MakeEmptyArray(column.type()), "an empty column of keys");
  }
  return Check<InvalidArgument>(arrow::Concatenate(column.chunks()), "the keys are too large");
}

std::shared_ptr<arrow::Array> Decoded(const std::shared_ptr<arrow::Array>& values) {
  if (values->type_id() != arrow::Type::DICTIONARY) return values;
  Check(arrow::compute::Initialize(), "Arrow's functions");
  const auto& type = static_cast<const arrow::DictionaryType&>(*values->type());
  return Check(arrow::compute::Cast(*values, type.value_type()), "the keys");
}

}  // namespace

std::vector<Probe> ProbesOf(const arrow::Table& keys, const std::vector<std::string>& on) {
  if (on.empty()) throw InvalidArgument("name at least one column to match the keys on");
  std::set<std::string> seen;
  std::vector<Probe> probes;
  for (const std::string& column : on) {
    if (!seen.insert(column).second) {
      throw InvalidArgument("column \"" + column + "\" is named twice to match the keys on");
    }
    probes.push_back({column, Decoded(OneArray(*ColumnOf(keys, column)))});
  }
  return probes;
}

namespace {

/// NULL for text that is none, which the engine refuses: it reads no such value, so none matches.
std::shared_ptr<arrow::Array> WithoutIllFormed(std::shared_ptr<arrow::Array> keys) {
  if (keys->type_id() != arrow::Type::STRING) return keys;
  const auto& texts = static_cast<const arrow::StringArray&>(*keys);
  const auto ill_formed = [&texts](int64_t i) {
    return texts.IsValid(i) && !index::IsUtf8(texts.GetView(i));
  };
  int64_t first = 0;
  while (first < texts.length() && !ill_formed(first)) ++first;
  if (first == texts.length()) return keys;
  arrow::StringBuilder kept;
  for (int64_t i = 0; i < texts.length(); ++i) {
    Check(texts.IsNull(i) || ill_formed(i) ? kept.AppendNull() : kept.Append(texts.GetView(i)),
          "memory for the keys");
  }
  return Check(kept.Finish(), "memory for the keys");
}

}  // namespace

std::shared_ptr<arrow::Table> TypedKeys(
    const arrow::Table& keys, const std::vector<std::string>& on,
    const std::vector<std::shared_ptr<arrow::DataType>>& types) {
  arrow::Int64Builder numbers;
  Check(numbers.Reserve(keys.num_rows()), "memory for the keys");
  for (int64_t i = 0; i < keys.num_rows(); ++i) numbers.UnsafeAppend(i);
  arrow::FieldVector fields = {arrow::field("rid", arrow::int64())};
  arrow::ArrayVector columns = {Check(numbers.Finish(), "memory for the keys")};
  const std::vector<Probe> probes = ProbesOf(keys, on);
  for (size_t i = 0; i < on.size(); ++i) {
    std::string name = "j";
    name += std::to_string(i);
    fields.push_back(arrow::field(name, types[i]));
    columns.push_back(WithoutIllFormed(index::ConvertEach(on[i], types[i], *probes[i].values)));
  }
  return arrow::Table::Make(arrow::schema(fields), columns, keys.num_rows());
}

}  // namespace ariadne::query
