#pragma once

#include <string>

namespace ariadne::storage::internal {

/// This process, told apart from every other that can write the same lock file:
/// `ariadne@{host}:{pid}:{start}:{pid namespace}:{boot id}`. `start` is when the process began, in
/// clock ticks since the boot (proc(5), /proc/[pid]/stat, field 22): pids are used again.
std::string ProcessIdentity();

/// True only where `identity` names a process of this very boot and pid namespace that is no more.
/// Another machine's, another container's and the JVM library's owners are never known to be dead.
bool IsKnownDead(const std::string& identity);

}  // namespace ariadne::storage::internal
