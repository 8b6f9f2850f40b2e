#include "storage/process_identity.h"

#include <fstream>
#include <iterator>
#include <sstream>
#include <vector>

#include <unistd.h>

namespace ariadne::storage::internal {

namespace {

std::string FirstLine(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

/// "{pid namespace}:{boot id}"; empty where the system does not tell.
std::string Surroundings() {
  char space[64] = "";
  const ssize_t length = ::readlink("/proc/self/ns/pid", space, sizeof(space) - 1);
  const std::string boot = FirstLine("/proc/sys/kernel/random/boot_id");
  if (length <= 0 || boot.empty()) return {};
  // "pid:[4026531836]": the number alone, since ':' separates.
  std::string digits;
  for (const char c : std::string(space, length)) {
    if (c >= '0' && c <= '9') digits += c;
  }
  return digits + ":" + boot;
}

/// Empty where there is no such process, or one that has ended and waits to be reaped.
std::string StartOf(const std::string& pid) {
  const std::string stat = FirstLine("/proc/" + pid + "/stat");
  // The second field is a name in parentheses, which may hold blanks and parentheses itself.
  const size_t name_end = stat.rfind(')');
  if (name_end == std::string::npos) return {};
  std::istringstream rest(stat.substr(name_end + 1));
  const std::vector<std::string> fields{std::istream_iterator<std::string>(rest), {}};
  constexpr size_t kState = 0, kStart = 19;  // Fields 3 and 22 of the line.
  if (fields.size() <= kStart || fields[kState] == "Z" || fields[kState] == "X") return {};
  return fields[kStart];
}

}  // namespace

std::string ProcessIdentity() {
  char host[256] = "";
  (void)::gethostname(host, sizeof(host) - 1);
  const std::string pid = std::to_string(::getpid());
  std::string name = "ariadne@" + std::string(host) + ":" + pid;
  const std::string start = StartOf(pid);
  const std::string surroundings = Surroundings();
  if (start.empty() || surroundings.empty()) return name;
  return name + ":" + start + ":" + surroundings;
}

bool IsKnownDead(const std::string& identity) {
  const size_t at = identity.find('@');
  const size_t host_end = identity.find(':', at == std::string::npos ? 0 : at);
  if (identity.compare(0, 8, "ariadne@") != 0 || host_end == std::string::npos) return false;
  const size_t pid_end = identity.find(':', host_end + 1);
  if (pid_end == std::string::npos) return false;
  const size_t start_end = identity.find(':', pid_end + 1);
  if (start_end == std::string::npos) return false;
  const std::string surroundings = Surroundings();
  if (surroundings.empty() || identity.substr(start_end + 1) != surroundings) return false;
  const std::string pid = identity.substr(host_end + 1, pid_end - host_end - 1);
  const std::string start = identity.substr(pid_end + 1, start_end - pid_end - 1);
  if (pid.empty() || pid.find_first_not_of("0123456789") != std::string::npos) return false;
  return StartOf(pid) != start;
}

}  // namespace ariadne::storage::internal
