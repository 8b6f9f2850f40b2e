#include "index/civil_time.h"

#include <cctz/civil_time.h>
#include <cctz/time_zone.h>

#include <algorithm>
#include <chrono>
#include <regex>

#include "ariadne/errors.h"

namespace ariadne::index {
namespace {

constexpr int64_t kMicrosPerSecond = 1'000'000;

std::chrono::year_month_day YearMonthDay(const CivilDate& date) {
  return {std::chrono::year(date.year), std::chrono::month(static_cast<unsigned>(date.month)),
          std::chrono::day(static_cast<unsigned>(date.day))};
}

cctz::time_point<cctz::seconds> TimePoint(int64_t seconds) {
  return cctz::time_point<cctz::seconds>(cctz::seconds(seconds));
}

}  // namespace

CivilDate CivilDateOf(int64_t day) {
  // Years past std::chrono's 16 bits: whole cycles of 400 years, 146,097 days, are taken off first.
  constexpr int64_t kCycleDays = 146'097;
  const int64_t cycles = FloorDivide(day, kCycleDays);
  const std::chrono::year_month_day date(
      std::chrono::sys_days(std::chrono::days(day - cycles * kCycleDays)));
  return {static_cast<int>(date.year()) + static_cast<int>(400 * cycles),
          static_cast<int>(static_cast<unsigned>(date.month())),
          static_cast<int>(static_cast<unsigned>(date.day()))};
}

int64_t DayOf(const CivilDate& date) {
  constexpr int64_t kCycleDays = 146'097;
  const int64_t cycles = FloorDivide(date.year, 400);
  CivilDate within = date;
  within.year = static_cast<int>(date.year - 400 * cycles);
  return std::chrono::sys_days(YearMonthDay(within)).time_since_epoch().count() +
         cycles * kCycleDays;
}

bool IsDate(const CivilDate& date) {
  if (date.month < 1 || date.month > 12 || date.day < 1 || date.day > 31) return false;
  CivilDate within = date;
  within.year = static_cast<int>(date.year - 400 * FloorDivide(date.year, 400));
  return YearMonthDay(within).ok();
}

CivilTime CivilTimeOf(int64_t micros) {
  const int64_t day = FloorDivide(micros, kMicrosPerDay);
  const int64_t of_day = FloorRemainder(micros, kMicrosPerDay);
  const auto seconds = static_cast<int>(of_day / kMicrosPerSecond);
  return {CivilDateOf(day), seconds / 3600, seconds / 60 % 60, seconds % 60,
          static_cast<int>(of_day % kMicrosPerSecond)};
}

struct TimeZone::Rules {
  cctz::time_zone zone;
};

TimeZone TimeZone::Load(const std::string& name) {
  TimeZone zone;
  if (name == "Z") return zone;
  static const std::regex kOffset(
      R"((?:UTC|GMT|UT)?([+-])([0-9]{1,2})(?::?([0-9]{2}))?(?::?([0-9]{2}))?)");
  std::smatch match;
  if (std::regex_match(name, match, kOffset)) {
    const auto part = [&match](int i) { return match[i].matched ? std::stoi(match[i].str()) : 0; };
    if (part(2) <= 18 && part(3) < 60 && part(4) < 60) {
      const int64_t seconds = part(2) * 3600 + part(3) * 60 + part(4);
      zone.offset_micros_ = (match[1].str() == "-" ? -seconds : seconds) * kMicrosPerSecond;
      zone.offsets_ = {zone.offset_micros_};
      return zone;
    }
  }
  auto rules = std::make_shared<Rules>();
  if (name.empty() || name[0] == '/' || !cctz::load_time_zone(name, &rules->zone)) {
    throw InvalidArgument("the time zone '" + name +
                          "' is not known; give a name such as 'Europe/Paris' or an offset such as "
                          "'+02:00' (names come from the system's tzdata)");
  }
  const auto offset_at = [&rules](int64_t seconds) {
    return rules->zone.lookup(TimePoint(seconds)).offset * kMicrosPerSecond;
  };
  cctz::time_zone::civil_transition change;
  if (!rules->zone.next_transition(cctz::time_point<cctz::seconds>::min(), &change)) {
    zone.offset_micros_ = offset_at(0);
    zone.offsets_ = {zone.offset_micros_};
    return zone;
  }
  // The last rule repeats: a century ahead shows all that it gives.
  constexpr int64_t kYear2100 = 4'102'444'800;
  zone.offsets_ = {offset_at(0)};
  for (auto at = TimePoint(0);
       rules->zone.next_transition(at, &change) && at < TimePoint(kYear2100);) {
    at = rules->zone.lookup(change.to).trans;
    zone.offsets_.push_back(offset_at(at.time_since_epoch().count()));
  }
  std::sort(zone.offsets_.begin(), zone.offsets_.end());
  zone.offsets_.erase(std::unique(zone.offsets_.begin(), zone.offsets_.end()), zone.offsets_.end());
  zone.rules_ = std::move(rules);
  return zone;
}

int64_t TimeZone::ToLocal(int64_t instant_micros) const {
  int64_t offset = offset_micros_;
  if (rules_ != nullptr) {
    const int64_t seconds = FloorDivide(instant_micros, kMicrosPerSecond);
    offset = rules_->zone.lookup(TimePoint(seconds)).offset * kMicrosPerSecond;
  }
  int64_t local = 0;
  // The first and last hours of what 64 bits hold keep their own clock.
  return __builtin_add_overflow(instant_micros, offset, &local) ? instant_micros : local;
}

int64_t TimeZone::ToInstant(int64_t local_micros) const {
  if (rules_ == nullptr) return local_micros - offset_micros_;
  const int64_t local_seconds = FloorDivide(local_micros, kMicrosPerSecond);
  const CivilTime time = CivilTimeOf(local_micros);
  const auto found = rules_->zone.lookup(cctz::civil_second(
      time.date.year, time.date.month, time.date.day, time.hour, time.minute, time.second));
  // `pre` applies the offset from before the change: the earlier of two, and past a gap.
  const int64_t seconds = found.pre.time_since_epoch().count();
  return local_micros + (seconds - local_seconds) * kMicrosPerSecond;
}

}  // namespace ariadne::index
