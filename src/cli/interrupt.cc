#include "cli/interrupt.h"

#include <unistd.h>
#include <csignal>
#include <cstdlib>

#include "ariadne/errors.h"

namespace ariadne::cli {
namespace {

// Ends the watching thread; no user sends it.
constexpr int kDone = SIGUSR1;

/// Signals that ask for a stop. One that whoever started us had ignored (`nohup`, a shell's
/// background job) stays ignored: blocked, it would reach us all the same.
sigset_t Watched() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction inherited {};
    sigaction(signal, nullptr, &inherited);
    if (inherited.sa_handler != SIG_IGN) sigaddset(&set, signal);
  }
  sigaddset(&set, kDone);
  return set;
}

void Say(const char* text, size_t size) {
  // Not a stream: the command's thread may be in the middle of a line of its own.
  [[maybe_unused]] const auto written = write(STDERR_FILENO, text, size);
}

}  // namespace

InterruptWatcher::InterruptWatcher() {
  const sigset_t set = Watched();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  thread_ = std::thread([this, set] {
    bool asked = false;
    for (int signal = 0;;) {
      if (sigwait(&set, &signal) != 0) continue;
      if (signal == kDone) return;
      if (asked) _exit(static_cast<int>(ExitCode::kInterrupted));
      asked = true;
      source_.request_stop();
      constexpr char kText[] = "\nstopping at the next safe point; once more to stop at once\n";
      Say(kText, sizeof(kText) - 1);
    }
  });
}

InterruptWatcher::~InterruptWatcher() {
  pthread_kill(thread_.native_handle(), kDone);
  thread_.join();
}

}  // namespace ariadne::cli
