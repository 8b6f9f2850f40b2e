#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <csignal>
#include <iostream>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/interrupt.h"

namespace {

int TerminalWidth(int descriptor) {
  winsize size{};
  if (isatty(descriptor) == 0 || ioctl(descriptor, TIOCGWINSZ, &size) != 0) return 0;
  return size.ws_col > 0 ? size.ws_col : 80;
}

}  // namespace

int main(int argc, char** argv) {
  // A reader that went away must not kill an update: the write fails instead, and is looked at
  // below.
  (void)std::signal(SIGPIPE, SIG_IGN);
  // A write past the limit on file sizes fails and is told, as one to a full disk.
  (void)std::signal(SIGXFSZ, SIG_IGN);
  std::ios::sync_with_stdio(false);
  ariadne::cli::Streams streams{.out = std::cout,
                                .err = std::cerr,
                                .out_width = TerminalWidth(STDOUT_FILENO),
                                .err_is_terminal = isatty(STDERR_FILENO) != 0};
  int code = 0;
  {
    const ariadne::cli::InterruptWatcher watcher;
    code = ariadne::cli::RunCommandLine({argv + 1, argv + argc}, streams, watcher.token());
  }
  std::cout.flush();
  std::cerr.flush();
  if (!std::cout) {
    pollfd standard_output{.fd = STDOUT_FILENO, .events = POLLOUT, .revents = 0};
    if (poll(&standard_output, 1, 0) > 0 && (standard_output.revents & POLLERR) != 0) {
      // The reader went away: end as any other program in a pipeline does.
      (void)std::signal(SIGPIPE, SIG_DFL);
      (void)std::raise(SIGPIPE);
    }
    std::cerr << "ariadne: standard output could not be written: is the disk full?\n" << std::flush;
    code = static_cast<int>(ariadne::ExitCode::kFailed);
  }
  // Not exit(): other libraries' threads may still run, and their statics are theirs to keep.
  _exit(code);
}
