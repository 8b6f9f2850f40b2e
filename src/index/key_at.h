#pragma once

#include <cstdint>
#include <type_traits>

#include "index/value_key.h"

namespace ariadne::index {

/// Value i of `values` as a key that compares in SQL's order with those of its type. A view of
/// bytes lives as long as the array.
template <typename Key>
Key KeyAt(const arrow::Array& values, int64_t i) {
  if constexpr (std::is_same_v<Key, uint64_t>) {
    uint64_t key = 0;
    WordKeys(values, i, 1, &key);
    return key;
  } else if constexpr (std::is_same_v<Key, Key128>) {
    return DecimalKey(values, i);
  } else {
    return Key(BytesAt(values, i));
  }
}

}  // namespace ariadne::index
