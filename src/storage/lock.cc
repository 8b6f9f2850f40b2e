#include "storage/lock.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstdio>
#include <ctime>
#include <mutex>
#include <optional>
#include <set>
#include <utility>

#include <arrow/buffer.h>
#include <nlohmann/json.hpp>

#include "ariadne/errors.h"
#include "storage/gson.h"
#include "storage/process_identity.h"
#include "storage/uuid.h"

namespace ariadne::storage {
namespace {

using Clock = std::chrono::system_clock;
using Seconds = std::chrono::duration<double>;

/// How often a corrupt lock file may be found in a row before something else must be wrong.
constexpr int kCorruptTries = 3;

struct Record {
  std::string correlation_id;
  std::string acquired_at;
  std::string last_refreshed_at;
  std::string owner;
  Clock::time_point refreshed;
};

std::string Instant(Clock::time_point time) {
  const auto micros =
      std::chrono::duration_cast<std::chrono::microseconds>(time.time_since_epoch()).count();
  const std::time_t seconds = micros / 1'000'000;
  std::tm utc{};
  ::gmtime_r(&seconds, &utc);
  char date[32];
  std::strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%S", &utc);
  char text[48];
  std::snprintf(text, sizeof(text), "%s.%06dZ", date, static_cast<int>(micros % 1'000'000));
  return text;
}

/// `2026-11-30T04:07:30.430123Z`, with no or up to nine digits of a second; nullopt otherwise.
std::optional<Clock::time_point> ParseInstant(const std::string& text) {
  std::tm utc{};
  int used = 0;
  if (std::sscanf(text.c_str(), "%4d-%2d-%2dT%2d:%2d:%2d%n", &utc.tm_year, &utc.tm_mon,
                  &utc.tm_mday, &utc.tm_hour, &utc.tm_min, &utc.tm_sec, &used) != 6) {
    // Java leaves the seconds out where they are zero in some forms.
    utc = {};
    used = 0;
    if (std::sscanf(text.c_str(), "%4d-%2d-%2dT%2d:%2d%n", &utc.tm_year, &utc.tm_mon, &utc.tm_mday,
                    &utc.tm_hour, &utc.tm_min, &used) != 5) {
      return std::nullopt;
    }
  }
  utc.tm_year -= 1900;
  utc.tm_mon -= 1;
  auto at = static_cast<size_t>(used);
  int64_t micros = 0;
  if (at < text.size() && text[at] == '.') {
    int digits = 0;
    for (++at; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at, ++digits) {
      if (digits < 6) micros = micros * 10 + (text[at] - '0');
    }
    for (; digits < 6; ++digits) micros *= 10;
  }
  if (text.substr(at) != "Z") return std::nullopt;
  return Clock::from_time_t(::timegm(&utc)) + std::chrono::microseconds(micros);
}

std::optional<Record> ParseRecord(const std::string& text) {
  const auto json = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return std::nullopt;
  const auto member = [&json](const char* key) {
    const auto found = json.find(key);
    return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
  };
  Record record;
  record.correlation_id = member("correlationId");
  record.acquired_at = member("acquiredAt");
  record.last_refreshed_at = member("lastRefreshedAt");
  record.owner = member("owner");
  const auto refreshed = ParseInstant(record.last_refreshed_at);
  if (record.correlation_id.empty() || !refreshed.has_value()) return std::nullopt;
  record.refreshed = *refreshed;
  return record;
}

std::string ToJson(const Record& record) {
  nlohmann::ordered_json json;
  json["correlationId"] = record.correlation_id;
  json["acquiredAt"] = record.acquired_at;
  json["lastRefreshedAt"] = record.last_refreshed_at;
  json["owner"] = record.owner;
  return internal::ToGson(json);
}

/// The first pause between two tries: most holders are done in a moment.
constexpr Seconds kFirstPause(0.05);

struct Found {
  std::optional<Record> record;  ///< nullopt: corrupt.
  std::string etag;
};

/// nullopt: no lock file.
std::optional<Found> ReadLock(const ObjectRef& object) {
  Found found;
  try {
    found.record = ParseRecord(object.store->Get(object.path, &found.etag)->ToString());
  } catch (const ObjectNotFound&) {
    return std::nullopt;
  }
  return found;
}

std::string Describe(const Record& record) {
  const double age = Seconds(Clock::now() - record.refreshed).count();
  return "held by " + (record.owner.empty() ? "an unnamed owner" : record.owner) + " since " +
         (record.acquired_at.empty() ? "an unknown time" : record.acquired_at) +
         ", last refreshed " + std::to_string(std::llround(std::max(0.0, age))) +
         " s ago (correlation id " + record.correlation_id + ")";
}

/// Sleeps, or returns true as soon as a stop is requested.
bool SleepUnlessStopped(std::stop_token stop, Seconds time) {
  std::mutex mutex;
  std::condition_variable_any changed;
  std::unique_lock lock(mutex);
  changed.wait_for(lock, stop, time, [] { return false; });
  return stop.stop_requested();
}

/// Locks of this process that could not be deleted when they were released: nobody holds them.
class GivenUp {
 public:
  void Add(const std::string& correlation_id) {
    const std::lock_guard lock(mutex_);
    ids_.insert(correlation_id);
  }
  bool Contains(const std::string& correlation_id) {
    const std::lock_guard lock(mutex_);
    return ids_.contains(correlation_id);
  }

 private:
  std::mutex mutex_;
  std::set<std::string> ids_;
};

GivenUp& GivenUpLocks() {
  static GivenUp locks;
  return locks;
}

}  // namespace

struct Lock::State {
  ObjectRef object;
  Seconds timeout{};
  /// A refresh may run beside the work that checks.
  std::mutex mutex;
  Record record;
  bool lost = false;

  [[nodiscard]] std::string url() const { return object.store->base_url() + object.path; }

  void Stamp() {
    record.refreshed = Clock::now();
    record.last_refreshed_at = Instant(record.refreshed);
  }

  /// One try. nullopt: the lock is ours; otherwise what stands in the way, if it can be read.
  std::optional<Found> Try() {
    for (int corrupt = 0;;) {
      Stamp();
      record.acquired_at = record.last_refreshed_at;
      if (object.store->PutIfAbsent(object.path, ToJson(record))) return std::nullopt;
      auto found = ReadLock(object);
      if (!found.has_value()) continue;  // released between the two calls
      // A request that a network store retried may have met its own first try.
      if (found->record.has_value() && found->record->correlation_id == record.correlation_id) {
        return std::nullopt;
      }
      const bool stale =
          found->record.has_value() && (Clock::now() - found->record->refreshed > timeout ||
                                        internal::IsKnownDead(found->record->owner) ||
                                        GivenUpLocks().Contains(found->record->correlation_id));
      if (found->record.has_value() && !stale) return found;
      if (object.store->PutIfMatch(object.path, ToJson(record), found->etag)) return std::nullopt;
      if (!found->record.has_value() && ++corrupt == kCorruptTries) return found;
    }
  }

  /// The etag of our lock file. Throws LockLost.
  std::string OwnEtag() {
    auto found = ReadLock(object);
    if (found.has_value() && found->record.has_value() &&
        found->record->correlation_id == record.correlation_id) {
      return found->etag;
    }
    lost = true;
    std::string now = "it is gone";
    if (found.has_value()) {
      now = found->record.has_value() ? "it is " + Describe(*found->record) : "it is corrupt";
    }
    throw LockLost("the lock " + url() + " was lost: " + now +
                   ". It was not refreshed for longer than lockTimeout; what was committed stands, "
                   "run the operation again");
  }
};

namespace {
thread_local std::stop_token stop_of_waits;
}  // namespace

StopLockWaits::StopLockWaits(std::stop_token stop)
    : outer_(std::exchange(stop_of_waits, std::move(stop))) {}

StopLockWaits::~StopLockWaits() { stop_of_waits = std::move(outer_); }

Lock::Lock(std::unique_ptr<State> state) : state_(std::move(state)) {}

std::unique_ptr<Lock> Lock::Acquire(const ObjectRef& object, const Options& options,
                                    std::stop_token stop,
                                    const std::function<void(const std::string&)>& waiting) {
  if (!stop.stop_possible()) stop = stop_of_waits;
  auto state = std::make_unique<State>();
  state->object = object;
  state->timeout = Seconds(options.lock_timeout_seconds);
  state->record.correlation_id = internal::NewUuid();
  state->record.owner = internal::ProcessIdentity();

  const auto begun = std::chrono::steady_clock::now();
  const Seconds longest(std::max(0.001, options.lock_retry_interval_seconds));
  Seconds pause = std::min(kFirstPause, longest);
  bool told = false;
  for (;;) {
    if (stop.stop_requested())
      throw Cancelled("stopped while waiting for the lock " + state->url());
    const auto found = state->Try();
    if (!found.has_value()) return std::unique_ptr<Lock>(new Lock(std::move(state)));
    const std::string holder =
        found->record.has_value() ? Describe(*found->record) : "another process keeps rewriting it";
    const Seconds waited = std::chrono::steady_clock::now() - begun;
    const Seconds left = Seconds(options.lock_max_wait_seconds) - waited;
    if (left <= Seconds(0)) {
      throw LockTimeout("the lock " + state->url() + " was not had within " +
                        std::to_string(std::llround(waited.count())) + " s: " + holder +
                        ". Wait for its holder, or raise lockMaxWait; a lock whose holder died is "
                        "taken over once it is not refreshed for lockTimeout (" +
                        std::to_string(std::llround(state->timeout.count())) + " s)");
    }
    if (!told) {
      const std::string text = "waiting for the lock " + state->url() + ": " + holder;
      // An hour of silence looks like a program that hangs.
      if (waiting) {
        waiting(text);
      } else {
        std::fprintf(stderr, "ariadne: %s\n", text.c_str());
      }
    }
    told = true;
    Seconds sleep = std::min(pause, left);
    if (found->record.has_value()) {
      // It may be free to take at the moment it becomes stale.
      const Seconds fresh = found->record->refreshed + state->timeout - Clock::now();
      sleep = std::min(sleep, std::max(fresh + Seconds(0.001), Seconds(0.001)));
    }
    if (SleepUnlessStopped(stop, sleep)) continue;
    pause = std::min(pause * 2, longest);
  }
}

Lock::~Lock() {
  if (state_->lost) return;
  try {
    // Nobody takes a lock over that was refreshed just now, so it is ours until it is deleted.
    if (Clock::now() - state_->record.refreshed > state_->timeout / 2) {
      Refresh();
    } else {
      Check();
    }
    state_->object.store->Delete(state_->object.path);
  } catch (const Error&) {
    // It becomes stale by itself; this process need not wait for that.
    GivenUpLocks().Add(state_->record.correlation_id);
  }
}

void Lock::Refresh() {
  std::lock_guard lock(state_->mutex);
  const std::string etag = state_->OwnEtag();
  Record refreshed = state_->record;
  refreshed.refreshed = Clock::now();
  refreshed.last_refreshed_at = Instant(refreshed.refreshed);
  if (!state_->object.store->PutIfMatch(state_->object.path, ToJson(refreshed), etag)) {
    (void)state_->OwnEtag();  // throws, unless the request met its own first try
  }
  state_->record = refreshed;
}

void Lock::Check() const {
  std::lock_guard lock(state_->mutex);
  (void)state_->OwnEtag();
}

const std::string& Lock::correlation_id() const { return state_->record.correlation_id; }

}  // namespace ariadne::storage
