#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <type_traits>
#include <utility>

#include <nanobind/nanobind.h>

#include "ariadne/index.h"

namespace ariadne::python {

/// What Ctrl-C does to a call.
enum class AtInterrupt {
  /// The call holds no lock and leaves nothing half done: it is left at once, and what still runs
  /// of it goes on unheard until it notices.
  kLeave,
  /// The call writes: it is asked to stop and waited for. A second Ctrl-C leaves it.
  kWait,
};

/// Tells Python how far a call is. Work reports from any thread; Python's callable is called by the
/// waiting thread alone, which has the interpreter: with an UpdateProgress as five values, with a
/// percentage, or with nothing where there is nothing to tell but that time passes.
class Progress {
 public:
  /// `callback`: None, or what is called as said. `percent`: asked each time; below 0: not known.
  explicit Progress(nanobind::object callback, std::function<double()> percent = {});
  ~Progress();

  [[nodiscard]] bool wanted() const { return wanted_; }
  [[nodiscard]] std::function<void(const UpdateProgress&)> reporter() const;
  /// Calls Python; needs the interpreter. Throws what the callback raised.
  void Tell();

 private:
  struct Latest;
  nanobind::object callback_;
  std::function<double()> percent_;
  bool wanted_;
  std::shared_ptr<Latest> latest_;
};

namespace internal {
void Watch(std::function<void(std::stop_token)> work, AtInterrupt at_interrupt, Progress* progress,
           const std::stop_source& source);
}  // namespace internal

/// Runs `work` without the interpreter's lock and gives its result. Throws Error in a process that
/// was forked from one that had made such a call: the library's threads are not in it. In the main
/// thread, where Python takes signals, it runs on a thread of its own, and Ctrl-C becomes a stop
/// request and KeyboardInterrupt. `work` must own what it uses: after kLeave it may outlive the
/// call.
template <typename Work>
auto Watched(AtInterrupt at_interrupt, Work work, Progress* progress = nullptr,
             const std::stop_source& source = {}) {
  using Result = std::invoke_result_t<Work&, std::stop_token>;
  if constexpr (std::is_void_v<Result>) {
    internal::Watch(std::move(work), at_interrupt, progress, source);
  } else {
    auto result = std::make_shared<std::optional<Result>>();
    internal::Watch([result, work = std::move(work)](
                        const std::stop_token& stop) mutable { result->emplace(work(stop)); },
                    at_interrupt, progress, source);
    return *std::move(*result);
  }
}

/// True in the thread that the process began with, where Python handles signals. Asks no
/// interpreter: a library that waits for our rows may be holding it.
bool InMainThread();

/// Waits for what interrupted calls left running; for the interpreter's end. Needs the interpreter.
void WaitForLeftCalls();

}  // namespace ariadne::python
