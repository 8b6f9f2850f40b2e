#include "index/token.h"

#include <array>
#include <charconv>
#include <cstdio>
#include <utility>

#include <arrow/array/array_base.h>
#include <arrow/array/array_decimal.h>
#include <arrow/array/array_primitive.h>
#include <arrow/type.h>
#include <arrow/util/decimal.h>

#include "index/civil_time.h"
#include "index/java_decimal.h"
#include "index/java_double.h"
#include "index/java_utf8.h"
#include "index/value_key.h"

namespace ariadne::index {
namespace {

/// First and last day that the change of calendars skipped, and the day that followed; Spark moves
/// the skipped ones there before Java sees them.
constexpr int32_t kFirstSkippedDay = -141437;    // 1582-10-05
constexpr int32_t kFirstGregorianDay = -141427;  // 1582-10-15

template <typename T, typename ToString, typename ToLegacyString>
void FloatingTokens(T value, const TokenWriter::Visit& visit, ToString to_string,
                    ToLegacyString to_legacy_string) {
  if (value == 0) {
    visit("0.0");
    visit("-0.0");
    return;
  }
  const std::string token = to_string(value);
  visit(token);
  if (const std::string legacy = to_legacy_string(value); legacy != token) visit(legacy);
}

/// Java's old date classes print the year of the era, without the era: 1 for 1 BC.
int JavaYear(int year) { return year > 0 ? year : 1 - year; }

/// java.sql.Date.toString, which prints the last four digits of the year.
std::string DateToken(int32_t day) {
  const CivilDate date = CivilDateOf(day);
  std::array<char, 32> text;
  std::snprintf(text.data(), text.size(), "%04d-%02d-%02d", JavaYear(date.year) % 10000, date.month,
                date.day);
  return text.data();
}

/// Nine digits of nanoseconds after the point without trailing zeros, at least one digit.
std::string ShortFraction(int64_t micros) {
  std::array<char, 16> text;
  std::snprintf(text.data(), text.size(), "%06d", static_cast<int>(micros));
  std::string fraction = text.data();
  while (fraction.size() > 1 && fraction.back() == '0') fraction.pop_back();
  return fraction;
}

/// java.sql.Timestamp.toString of a local time, in microseconds since the epoch.
std::string TimestampToken(int64_t local_micros) {
  const CivilTime time = CivilTimeOf(local_micros);
  std::array<char, 64> text;
  std::snprintf(text.data(), text.size(), "%04d-%02d-%02d %02d:%02d:%02d.",
                JavaYear(time.date.year), time.date.month, time.date.day, time.hour, time.minute,
                time.second);
  return text.data() + ShortFraction(time.micros);
}

/// java.time.LocalDateTime.toString.
std::string LocalDateTimeToken(int64_t local_micros) {
  const CivilTime time = CivilTimeOf(local_micros);
  std::array<char, 64> text;
  const int year = time.date.year;
  std::snprintf(text.data(), text.size(), "%s%04d-%02d-%02dT%02d:%02d",
                year > 9999 ? "+" : (year < 0 ? "-" : ""), std::abs(year), time.date.month,
                time.date.day, time.hour, time.minute);
  std::string token = text.data();
  if (time.second == 0 && time.micros == 0) return token;
  std::snprintf(text.data(), text.size(), ":%02d", time.second);
  token += text.data();
  if (time.micros == 0) return token;
  if (time.micros % 1000 == 0) {
    std::snprintf(text.data(), text.size(), ".%03d", time.micros / 1000);
  } else {
    std::snprintf(text.data(), text.size(), ".%06d", time.micros);
  }
  return token + text.data();
}

int64_t SkippedDaysMovedOn(int64_t local_micros) {
  const int64_t day = FloorDivide(local_micros, kMicrosPerDay);
  if (day < kFirstSkippedDay || day >= kFirstGregorianDay) return local_micros;
  return local_micros + (kFirstGregorianDay - day) * kMicrosPerDay;
}

}  // namespace

struct TokenWriter::Zone {
  TimeZone zone;
};

bool TokenWriter::HasTokens(const arrow::DataType& type) {
  const KeyShape shape = ShapeOf(type);
  return shape != KeyShape::kNested && type.id() != arrow::Type::BINARY;
}

TokenWriter::TokenWriter(std::shared_ptr<arrow::DataType> type, const std::string& time_zone)
    : type_(std::move(type)) {
  if (type_->id() == arrow::Type::TIMESTAMP) {
    zone_ = std::make_unique<Zone>(Zone{TimeZone::Load(time_zone)});
  }
}
TokenWriter::~TokenWriter() = default;

void TokenWriter::ForEachToken(const arrow::Array& values, int64_t i, const Visit& visit) const {
  switch (type_->id()) {
    case arrow::Type::STRING:
      return visit(JavaUtf8(BytesAt(values, i)));
    case arrow::Type::BOOL:
      return visit(static_cast<const arrow::BooleanArray&>(values).Value(i) ? "true" : "false");
    case arrow::Type::FLOAT:
      return FloatingTokens(static_cast<const arrow::FloatArray&>(values).Value(i), visit,
                            JavaFloatToString, JavaFloatToStringJdk18);
    case arrow::Type::DOUBLE:
      return FloatingTokens(static_cast<const arrow::DoubleArray&>(values).Value(i), visit,
                            JavaDoubleToString, JavaDoubleToStringJdk18);
    case arrow::Type::DECIMAL128: {
      const arrow::Decimal128 value(static_cast<const arrow::Decimal128Array&>(values).GetValue(i));
      const auto& type = static_cast<const arrow::Decimal128Type&>(*type_);
      return visit(JavaDecimalToString(value.ToIntegerString(), type.scale()));
    }
    default:
      break;
  }
  uint64_t key = 0;
  WordKeys(values, i, 1, &key);
  const int64_t value = IntegerOfKey(key);
  if (type_->id() == arrow::Type::DATE32) {
    const auto day = static_cast<int32_t>(value);
    const bool skipped = day >= kFirstSkippedDay && day < kFirstGregorianDay;
    return visit(DateToken(skipped ? kFirstGregorianDay : day));
  }
  if (type_->id() == arrow::Type::TIMESTAMP) {
    if (static_cast<const arrow::TimestampType&>(*type_).timezone().empty()) {
      return visit(LocalDateTimeToken(value));
    }
    return visit(TimestampToken(SkippedDaysMovedOn(zone_->zone.ToLocal(value))));
  }
  std::array<char, 24> text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value);
  visit({text.data(), static_cast<size_t>(end.ptr - text.data())});
}

bool TokenWriter::ForEachProbeToken(const arrow::Array& values, int64_t i,
                                    const Visit& visit) const {
  if (type_->id() != arrow::Type::TIMESTAMP || zone_->zone.is_fixed() ||
      static_cast<const arrow::TimestampType&>(*type_).timezone().empty()) {
    ForEachToken(values, i, visit);
    return true;
  }
  uint64_t key = 0;
  WordKeys(values, i, 1, &key);
  const int64_t instant = IntegerOfKey(key);
  // Builds of the database differ in what they keep of the years before 1970, hundreds of zones
  // wide; since then only in when a known offset begins.
  if (instant < 0) return false;
  for (const int64_t offset : zone_->zone.offsets_since_1970()) {
    int64_t local = 0;
    if (__builtin_add_overflow(instant, offset, &local)) local = instant;
    visit(TimestampToken(local));
  }
  return true;
}

}  // namespace ariadne::index
