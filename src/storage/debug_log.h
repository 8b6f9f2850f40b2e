#pragma once

#include <functional>
#include <string>

namespace ariadne::storage {

/// Takes a text of one or several lines. Called from one thread at a time.
using DebugSink = std::function<void(const std::string& text)>;

/// While it lives, what the parts have to say of their work goes to `sink`, of this whole process.
/// One at a time.
class DebugListener {
 public:
  explicit DebugListener(DebugSink sink);
  ~DebugListener();
  DebugListener(const DebugListener&) = delete;
  DebugListener& operator=(const DebugListener&) = delete;
};

/// True where somebody listens: what is costly to say is then worth it.
bool DebugIsOn();
/// Says it to who listens. Thread-safe.
void Debug(const std::string& text);

}  // namespace ariadne::storage
