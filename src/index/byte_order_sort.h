#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace ariadne::index {

/// Positions of the byte strings that lie end to end in `arena` (string i ends at `ends[i]`), in
/// the order of their unsigned bytes.
std::vector<uint32_t> ByteOrder(std::string_view arena, const std::vector<uint64_t>& ends);

/// Sorts 64-bit keys ascending; linear for many.
void SortWords(std::vector<uint64_t>* keys);

}  // namespace ariadne::index
