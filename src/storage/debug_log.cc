#include "storage/debug_log.h"

#include <atomic>
#include <mutex>
#include <utility>

namespace ariadne::storage {
namespace {

std::atomic<bool> on = false;
std::mutex mutex;

DebugSink& Sink() {
  static DebugSink sink;
  return sink;
}

void SetSink(DebugSink sink) {
  const std::lock_guard guard(mutex);
  on = static_cast<bool>(sink);
  Sink() = std::move(sink);
}

}  // namespace

DebugListener::DebugListener(DebugSink sink) { SetSink(std::move(sink)); }

DebugListener::~DebugListener() { SetSink({}); }

bool DebugIsOn() { return on; }

void Debug(const std::string& text) {
  if (!DebugIsOn()) return;
  const std::lock_guard guard(mutex);
  if (Sink()) Sink()(text);
}

}  // namespace ariadne::storage
