#include "text/csv_value.h"

#include <limits>
#include <optional>
#include <string>

#include <arrow/builder.h>
#include <arrow/type.h>

#include "text/arrow_build.h"
#include "text/json_record.h"
#include "text/value_text.h"

namespace ariadne::text {

namespace {

template <typename Real, typename Parse>
std::optional<Real> RealOf(std::string_view field, const TextOptions& options, Parse&& parse) {
  if (field == options.nan_value) return std::numeric_limits<Real>::quiet_NaN();
  if (field == options.negative_infinity) return -std::numeric_limits<Real>::infinity();
  if (field == options.positive_infinity) return std::numeric_limits<Real>::infinity();
  return parse(field);
}

// Calls `use` with the builder's class and the value, if there is one, of the field.
template <typename Use>
bool Read(const arrow::DataType& type, std::string_view field, const TextOptions& options,
          Use&& use) {
  const auto integer = [&]<typename Builder, typename Value>() {
    return use.template operator()<Builder>(
        ParseInteger(field, std::numeric_limits<Value>::min(), std::numeric_limits<Value>::max()));
  };
  switch (type.id()) {
    case arrow::Type::BOOL:
      return use.template operator()<arrow::BooleanBuilder>(ParseBoolean(field));
    case arrow::Type::INT8:
      return integer.template operator()<arrow::Int8Builder, int8_t>();
    case arrow::Type::INT16:
      return integer.template operator()<arrow::Int16Builder, int16_t>();
    case arrow::Type::INT32:
      return integer.template operator()<arrow::Int32Builder, int32_t>();
    case arrow::Type::INT64:
      return integer.template operator()<arrow::Int64Builder, int64_t>();
    case arrow::Type::FLOAT:
      return use.template operator()<arrow::FloatBuilder>(
          RealOf<float>(field, options, ParseFloat));
    case arrow::Type::DOUBLE:
      return use.template operator()<arrow::DoubleBuilder>(
          RealOf<double>(field, options, ParseDouble));
    case arrow::Type::DECIMAL128: {
      const auto& decimal = static_cast<const arrow::DecimalType&>(type);
      return use.template operator()<arrow::Decimal128Builder>(
          ParseDecimalText(std::string(field), decimal.precision(), decimal.scale()));
    }
    case arrow::Type::DATE32:
      return use.template operator()<arrow::Date32Builder>(ReadDate(field, options));
    case arrow::Type::TIMESTAMP: {
      const bool zoned = !static_cast<const arrow::TimestampType&>(type).timezone().empty();
      return use.template operator()<arrow::TimestampBuilder>(
          zoned ? ReadTimestamp(field, options) : ReadLocalTimestamp(field, options));
    }
    default:
      return use.template operator()<arrow::StringBuilder>(std::optional<std::string_view>(field));
  }
}

}  // namespace

bool CsvValue::Fits(bool null, std::string_view field) const {
  if (null || field == options_.null_value || type_.id() == arrow::Type::STRING) return true;
  return Read(type_, field, options_,
              [&]<typename Builder>(const auto& value) { return value.has_value(); });
}

void CsvValue::Append(bool null, std::string_view field, arrow::ArrayBuilder* builder) const {
  if (null || field == options_.null_value) {
    CheckBuilt(builder->AppendNull());
    return;
  }
  Read(type_, field, options_, [&]<typename Builder>(const auto& value) {
    CheckBuilt(value ? static_cast<Builder*>(builder)->Append(*value) : builder->AppendNull());
    return value.has_value();
  });
}

}  // namespace ariadne::text
