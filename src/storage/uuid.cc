#include "storage/uuid.h"

#include <cstdint>
#include <cstdio>

#include <unistd.h>

#include "ariadne/errors.h"

namespace ariadne::storage::internal {

std::string NewUuid() {
  uint64_t random[2];
  if (::getentropy(random, sizeof(random)) != 0) {
    throw StorageError("the system gives no random numbers (getentropy failed)");
  }
  const uint64_t high = (random[0] & ~0xF000ULL) | 0x4000ULL;       // version 4
  const uint64_t low = (random[1] & ~(3ULL << 62)) | (2ULL << 62);  // variant 1
  char text[40];
  std::snprintf(text, sizeof(text), "%08x-%04x-%04x-%04x-%012llx",
                static_cast<unsigned>(high >> 32), static_cast<unsigned>((high >> 16) & 0xFFFF),
                static_cast<unsigned>(high & 0xFFFF), static_cast<unsigned>(low >> 48),
                static_cast<unsigned long long>(low & 0xFFFFFFFFFFFFULL));
  return text;
}

}  // namespace ariadne::storage::internal
