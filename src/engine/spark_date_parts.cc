#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <arrow/type.h>

#include "engine/spark_cast.h"
#include "engine/spark_coercion.h"
#include "engine/spark_functions.h"
#include "engine/spark_kernel.h"
#include "index/civil_time.h"

namespace ariadne::engine {

namespace {

using index::CivilDate;
using index::CivilDateOf;
using index::DayOf;
using index::FloorDivide;
using index::FloorRemainder;
using index::kMicrosPerDay;

// Monday is 0. Day 0, 1970-01-01, was a Thursday.
int64_t WeekdayOf(int64_t day) { return FloorRemainder(day + 3, 7); }

int32_t WeekOfYear(int32_t day) {
  // ISO 8601: a week belongs to the year of its Thursday.
  const int64_t thursday = day - WeekdayOf(day) + 3;
  const int64_t first = DayOf({CivilDateOf(thursday).year, 1, 1});
  return static_cast<int32_t>((thursday - first) / 7 + 1);
}

int32_t QuarterOf(const CivilDate& date) { return (date.month - 1) / 3 + 1; }

enum class Part { kYear, kQuarter, kMonth, kWeek, kDay };

template <Part part>
SparkNodePtr BindDatePart(const SparkNodes& arguments) {
  constexpr const char* kNames[] = {"'year'", "'quarter'", "'month'", "'weekofyear'", "'day'"};
  const auto date = Coerce(arguments[0], arrow::date32(), kNames[static_cast<int>(part)]);
  return KernelNode(arrow::int32(), {date}, RowKernel<int32_t>(arrow::int32(), [](int32_t day) {
                      const CivilDate civil = CivilDateOf(day);
                      switch (part) {
                        case Part::kYear:
                          return civil.year;
                        case Part::kQuarter:
                          return QuarterOf(civil);
                        case Part::kMonth:
                          return civil.month;
                        case Part::kWeek:
                          return WeekOfYear(day);
                        default:
                          return civil.day;
                      }
                    }));
}

template <bool hour>
SparkNodePtr BindTimePart(const SparkNodes& arguments) {
  const std::string name = hour ? "'hour'" : "'minute'";
  SparkNodePtr time = arguments[0];
  if (!IsTimestamp(time->type)) time = Coerce(time, TimestampType(), name);
  return KernelNode(arrow::int32(), {time}, RowKernel<int64_t>(arrow::int32(), [](int64_t micros) {
                      const int64_t minutes = FloorRemainder(micros, kMicrosPerDay) / 60'000'000;
                      return static_cast<int32_t>(hour ? minutes / 60 : minutes % 60);
                    }));
}

// Days as Java adds them: 32 bits that wrap.
template <bool subtract>
SparkNodePtr BindDateAdd(const SparkNodes& arguments) {
  const std::string name = subtract ? "'date_sub'" : "'date_add'";
  const auto date = Coerce(arguments[0], arrow::date32(), name);
  const auto days =
      Cast(CoerceToOneOf(arguments[1], {arrow::int32(), arrow::int16(), arrow::int8()}, name),
           arrow::int32());
  return KernelNode(arrow::date32(), {date, days},
                    RowKernel<int32_t, int32_t>(arrow::date32(), [](int32_t day, int32_t by) {
                      const auto a = static_cast<uint32_t>(day);
                      const auto b = static_cast<uint32_t>(by);
                      return static_cast<int32_t>(subtract ? a - b : a + b);
                    }));
}

SparkNodePtr BindDateDiff(const SparkNodes& arguments) {
  return KernelNode(
      arrow::int32(),
      {Coerce(arguments[0], arrow::date32(), "'datediff'"),
       Coerce(arguments[1], arrow::date32(), "'datediff'")},
      RowKernel<int32_t, int32_t>(arrow::int32(), [](int32_t end, int32_t start) {
        return static_cast<int32_t>(static_cast<uint32_t>(end) - static_cast<uint32_t>(start));
      }));
}

enum class Unit { kMicro, kMilli, kSecond, kMinute, kHour, kDay, kWeek, kMonth, kQuarter, kYear };

std::optional<Unit> UnitOf(std::string_view name) {
  std::string upper(name);
  for (char& c : upper) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
  if (upper == "YEAR" || upper == "YYYY" || upper == "YY") return Unit::kYear;
  if (upper == "QUARTER") return Unit::kQuarter;
  if (upper == "MONTH" || upper == "MM" || upper == "MON") return Unit::kMonth;
  if (upper == "WEEK") return Unit::kWeek;
  if (upper == "DAY" || upper == "DD") return Unit::kDay;
  if (upper == "HOUR") return Unit::kHour;
  if (upper == "MINUTE") return Unit::kMinute;
  if (upper == "SECOND") return Unit::kSecond;
  if (upper == "MILLISECOND") return Unit::kMilli;
  if (upper == "MICROSECOND") return Unit::kMicro;
  return {};
}

// First day of the week, month, quarter or year.
int64_t TruncateDay(int64_t day, Unit unit) {
  if (unit == Unit::kWeek) return day - WeekdayOf(day);
  CivilDate date = CivilDateOf(day);
  date.day = 1;
  if (unit == Unit::kQuarter) date.month = 3 * QuarterOf(date) - 2;
  if (unit == Unit::kYear) date.month = 1;
  return DayOf(date);
}

std::optional<int64_t> TruncateMicros(int64_t micros, Unit unit) {
  if (unit >= Unit::kWeek) {
    int64_t out = 0;
    const int64_t day = TruncateDay(FloorDivide(micros, kMicrosPerDay), unit);
    if (__builtin_mul_overflow(day, kMicrosPerDay, &out)) return {};
    return out;
  }
  constexpr int64_t kMicros[] = {1, 1000, 1'000'000, 60'000'000, 3'600'000'000, kMicrosPerDay};
  const int64_t size = kMicros[static_cast<int>(unit)];
  const int64_t rest = FloorRemainder(micros, size);
  int64_t out = 0;
  if (__builtin_sub_overflow(micros, rest, &out)) {
    // Spark cuts milliseconds and seconds in 64 bits that wrap, the rest by way of days.
    if (unit > Unit::kSecond) return {};
    return static_cast<int64_t>(static_cast<uint64_t>(micros) - static_cast<uint64_t>(rest));
  }
  return out;
}

SparkNodePtr BindDateTrunc(const SparkNodes& arguments) {
  const auto unit = Coerce(arguments[0], arrow::utf8(), "'date_trunc'");
  const auto time = Coerce(arguments[1], TimestampType(), "'date_trunc'");
  return KernelNode(
      time->type, {unit, time},
      RowKernel<std::string_view, int64_t>(
          time->type, [](std::string_view name, int64_t micros) -> std::optional<int64_t> {
            const auto parsed = UnitOf(name);
            if (!parsed) return {};
            return TruncateMicros(micros, *parsed);
          }));
}

SparkNodePtr BindTrunc(const SparkNodes& arguments) {
  const auto date = Coerce(arguments[0], arrow::date32(), "'trunc'");
  const auto unit = Coerce(arguments[1], arrow::utf8(), "'trunc'");
  return KernelNode(
      date->type, {date, unit},
      RowKernel<int32_t, std::string_view>(
          date->type, [](int32_t day, std::string_view name) -> std::optional<int32_t> {
            const auto parsed = UnitOf(name);
            if (!parsed || *parsed < Unit::kWeek) return {};
            return static_cast<int32_t>(TruncateDay(day, *parsed));
          }));
}

}  // namespace

void AddDateParts(SparkFunctions& functions) {
  functions["year"] = {1, 1, BindDatePart<Part::kYear>};
  functions["quarter"] = {1, 1, BindDatePart<Part::kQuarter>};
  functions["month"] = {1, 1, BindDatePart<Part::kMonth>};
  functions["weekofyear"] = {1, 1, BindDatePart<Part::kWeek>};
  functions["day"] = {1, 1, BindDatePart<Part::kDay>};
  functions["dayofmonth"] = {1, 1, BindDatePart<Part::kDay>};
  functions["hour"] = {1, 1, BindTimePart<true>};
  functions["minute"] = {1, 1, BindTimePart<false>};
  functions["date_add"] = {2, 2, BindDateAdd<false>};
  functions["date_sub"] = {2, 2, BindDateAdd<true>};
  functions["datediff"] = {2, 2, BindDateDiff};
  functions["date_trunc"] = {2, 2, BindDateTrunc};
  functions["trunc"] = {2, 2, BindTrunc};
}

}  // namespace ariadne::engine
