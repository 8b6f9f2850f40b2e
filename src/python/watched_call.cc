#include "python/watched_call.h"

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <string>
#include <thread>

#include "ariadne/errors.h"
#include "storage/lock.h"

namespace ariadne::python {
namespace {

namespace nb = nanobind;

// How often Python looks for signals while a call runs: unnoticed by a person.
constexpr auto kBeat = std::chrono::milliseconds(50);

struct Call {
  std::mutex mutex;
  std::condition_variable ended;
  bool done = false;
  std::exception_ptr error;

  void Finish(std::exception_ptr thrown) {
    // Notified under the lock: whoever waits may end the process next.
    const std::lock_guard lock(mutex);
    error = std::move(thrown);
    done = true;
    ended.notify_all();
  }
  bool WaitFor(std::chrono::milliseconds time) {
    std::unique_lock lock(mutex);
    return ended.wait_for(lock, time, [this] { return done; });
  }
};

// Calls that Ctrl-C left and that still run.
class LeftCalls {
 public:
  static LeftCalls& Get() {
    static auto* const calls = new LeftCalls;  // Threads may end after the process began to.
    return *calls;
  }
  void Enter() {
    const std::lock_guard lock(mutex_);
    ++count_;
  }
  void Leave() {
    const std::lock_guard lock(mutex_);
    --count_;
    none_.notify_all();
  }
  bool WaitFor(std::chrono::milliseconds time) {
    std::unique_lock lock(mutex_);
    return none_.wait_for(lock, time, [this] { return count_ == 0; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable none_;
  int count_ = 0;
};

// The thread of one call. Joined, or left to itself.
class Worker {
 public:
  Worker(std::function<void(std::stop_token)> work, std::stop_token stop)
      : call_(std::make_shared<Call>()) {
    LeftCalls::Get().Enter();
    thread_ = std::thread([call = call_, work = std::move(work), stop = std::move(stop)]() mutable {
      std::exception_ptr error;
      try {
        const storage::StopLockWaits lock_waits(stop);
        work(std::move(stop));
      } catch (...) {
        error = std::current_exception();
      }
      work = nullptr;  // What it owns goes before anyone takes the call for ended.
      call->Finish(std::move(error));
      call.reset();
      LeftCalls::Get().Leave();
    });
  }
  ~Worker() {
    if (thread_.joinable()) thread_.detach();
  }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  /// Both without the interpreter's lock, which objects that the work owns may need to go.
  [[nodiscard]] bool EndsWithin(std::chrono::milliseconds time) const {
    const nb::gil_scoped_release release;
    return call_->WaitFor(time);
  }
  [[nodiscard]] std::exception_ptr Join() {
    const nb::gil_scoped_release release;
    thread_.join();
    return call_->error;
  }

 private:
  std::shared_ptr<Call> call_;
  std::thread thread_;
};

// Threads do not follow into a forked process: it would wait for them for ever.
void CheckNotForked() {
  static std::atomic<pid_t> user = 0;
  pid_t first = 0;
  const pid_t process = getpid();
  if (!user.compare_exchange_strong(first, process) && first != process) {
    throw Error("this process was forked from process " + std::to_string(first) +
                ", which had used ariadne_lake before: start processes by 'spawn' or 'forkserver' "
                "(multiprocessing.get_context('spawn')), or fork before the first use");
  }
}

void RunHere(const std::function<void(std::stop_token)>& work, const std::stop_token& stop) {
  const nb::gil_scoped_release release;
  work(stop);
}

}  // namespace

struct Progress::Latest {
  std::mutex mutex;
  UpdateProgress progress;
  bool changed = false;
};

Progress::Progress(nb::object callback, std::function<double()> percent)
    : callback_(std::move(callback)),
      percent_(std::move(percent)),
      wanted_(!callback_.is_none()),
      latest_(std::make_shared<Latest>()) {}

Progress::~Progress() = default;

std::function<void(const UpdateProgress&)> Progress::reporter() const {
  if (!wanted_) return {};
  return [latest = latest_](const UpdateProgress& progress) {
    const std::lock_guard lock(latest->mutex);
    latest->progress = progress;
    latest->changed = true;
  };
}

void Progress::Tell() {
  if (!wanted_) return;
  UpdateProgress now;
  bool changed = false;
  {
    const std::lock_guard lock(latest_->mutex);
    std::swap(changed, latest_->changed);
    now = latest_->progress;
  }
  if (changed) {
    callback_(now.files_done, now.files_total, now.bytes_done, now.bytes_total, now.phase);
  } else if (const double percent = percent_ ? percent_() : -1; percent >= 0) {
    callback_(percent);
  } else {
    callback_();
  }
}

bool InMainThread() { return gettid() == getpid(); }

void WaitForLeftCalls() {
  for (;;) {
    bool none = false;
    {
      const nb::gil_scoped_release release;
      none = LeftCalls::Get().WaitFor(kBeat);
    }
    if (none) return;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
  }
}

namespace internal {

void Watch(std::function<void(std::stop_token)> work, AtInterrupt at_interrupt, Progress* progress,
           const std::stop_source& source) {
  CheckNotForked();
  const bool tells = progress != nullptr && progress->wanted();
  const bool takes_signals = InMainThread();
  if (!tells && !takes_signals) return RunHere(work, source.get_token());

  Worker worker(std::move(work), source.get_token());
  std::exception_ptr raised;
  const auto wait = [&]() -> bool {  // True: the work has ended.
    while (!worker.EndsWithin(kBeat)) {
      if (PyErr_CheckSignals() != 0) {
        raised = std::make_exception_ptr(nb::python_error());
        return false;
      }
      if (!tells || raised) continue;
      try {
        progress->Tell();
      } catch (nb::python_error&) {
        raised = std::current_exception();
        return false;
      }
    }
    return true;
  };
  bool ended = wait();
  if (!ended) {
    source.request_stop();
    if (at_interrupt == AtInterrupt::kWait) ended = wait();
  }
  if (!ended) std::rethrow_exception(raised);
  const std::exception_ptr error = worker.Join();
  if (raised) std::rethrow_exception(raised);
  if (error) std::rethrow_exception(error);
  if (tells) progress->Tell();
}

}  // namespace internal
}  // namespace ariadne::python
