#include "other_process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <stdexcept>
#include <vector>

extern char** environ;

namespace ariadne::testing {

pid_t StartTest(const std::string& name, const std::map<std::string, std::string>& more) {
  std::vector<std::string> entries;
  for (const auto& [variable, value] : more) entries.push_back(variable + "=" + value);
  std::vector<char*> environment;
  for (char** entry = environ; *entry != nullptr; ++entry) environment.push_back(*entry);
  for (std::string& entry : entries) environment.push_back(entry.data());
  environment.push_back(nullptr);
  char path[4096];
  const ssize_t length = ::readlink("/proc/self/exe", path, sizeof(path));
  if (length <= 0) throw std::runtime_error("cannot read /proc/self/exe");
  std::string program(path, static_cast<size_t>(length));
  std::string filter = "--gtest_filter=" + name;
  char* arguments[] = {program.data(), filter.data(), nullptr};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const int error =
      ::posix_spawn(&child, program.c_str(), &actions, nullptr, arguments, environment.data());
  posix_spawn_file_actions_destroy(&actions);
  // Process 0 would be whoever runs the tests.
  if (error != 0) throw std::runtime_error("cannot start " + program);
  return child;
}

bool WasKilled(pid_t child) {
  int status = 0;
  ::waitpid(child, &status, 0);
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) return true;
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    throw std::runtime_error("the other process failed: see what it printed");
  }
  return false;
}

}  // namespace ariadne::testing
