#include "index/auto_bloom.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include <arrow/array/array_base.h>
#include <arrow/array/array_nested.h>
#include <arrow/type.h>

#include "ariadne/errors.h"
#include "index/value_key.h"

namespace ariadne::index {

bool AutoBloom::Supports(const arrow::DataType& value) { return TokenWriter::HasTokens(value); }

AutoBloom::AutoBloom(const std::shared_ptr<arrow::DataType>& value, int64_t expected, double fpr,
                     const std::string& token_time_zone)
    : type_(value), tokens_(value, token_time_zone), filter_(std::max<int64_t>(1, expected), fpr) {}

void AutoBloom::Add(const arrow::Array& entries) {
  if (entries.type_id() == arrow::Type::STRUCT) {
    const auto values = static_cast<const arrow::StructArray&>(entries).GetFlattenedField(0);
    if (!values.ok()) throw Error("cannot read temporal values: " + values.status().message());
    return Add(**values);
  }
  if (!entries.type()->Equals(*type_)) {
    const auto cast = AsType(entries, type_);
    if (cast == nullptr) {
      throw SchemaMismatch("values of type " + entries.type()->ToString() + " where a filter of " +
                           type_->ToString() + " is built");
    }
    return Add(*cast);
  }
  const TokenWriter::Visit put = [this](std::string_view token) { filter_.Put(TokenHash(token)); };
  for (int64_t i = 0; i < entries.length(); ++i) {
    if (entries.IsValid(i)) tokens_.ForEachToken(entries, i, put);
  }
}

std::shared_ptr<arrow::Array> AutoBloom::Finish() {
  return FilterCell(std::move(filter_).Serialize());
}

}  // namespace ariadne::index
