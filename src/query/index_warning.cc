#include "query/index_warning.h"

#include <iostream>
#include <mutex>
#include <set>

namespace ariadne::query {

void WarnOnce(const std::string& text) {
  static std::mutex mutex;
  static std::set<std::string> said;
  const std::lock_guard lock(mutex);
  if (said.size() < 1000 && said.insert(text).second) {
    std::cerr << "ariadne: warning: " << text << "; its files stay candidates\n";
  }
}

}  // namespace ariadne::query
