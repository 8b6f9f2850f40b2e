#include "index/byte_order_sort.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

namespace ariadne::index {
namespace {

/// Below this many, comparing beats counting.
constexpr size_t kRadixFrom = 512;

/// Least significant digit first, a byte a pass, passes over a constant byte left out.
template <typename Item, typename KeyOf>
void RadixSort(std::vector<Item>* items, size_t begin, size_t end, std::vector<Item>* scratch,
               KeyOf key_of) {
  std::array<std::array<uint32_t, 256>, 8> counts{};
  for (size_t i = begin; i < end; ++i) {
    const uint64_t key = key_of((*items)[i]);
    for (int byte = 0; byte < 8; ++byte) ++counts[byte][(key >> (8 * byte)) & 0xff];
  }
  const size_t size = end - begin;
  scratch->resize(std::max(scratch->size(), size));
  Item* from = items->data() + begin;
  Item* to = scratch->data();
  for (int byte = 0; byte < 8; ++byte) {
    auto& count = counts[byte];
    if (count[(key_of(from[0]) >> (8 * byte)) & 0xff] == size) continue;
    uint32_t sum = 0;
    for (uint32_t& c : count) sum += std::exchange(c, sum);
    for (size_t i = 0; i < size; ++i) to[count[(key_of(from[i]) >> (8 * byte)) & 0xff]++] = from[i];
    std::swap(from, to);
  }
  if (from != items->data() + begin) std::copy_n(from, size, to);
}

/// A string and its eight bytes at the depth that is being sorted.
struct Prefixed {
  uint64_t prefix;
  uint32_t position;
};

class ByteOrderSort {
 public:
  ByteOrderSort(std::string_view arena, const std::vector<uint64_t>& ends)
      : arena_(arena), ends_(ends), items_(ends.size()) {}

  std::vector<uint32_t> Run() {
    for (size_t i = 0; i < items_.size(); ++i) items_[i].position = static_cast<uint32_t>(i);
    Sort(0, items_.size(), CommonPrefix());
    std::vector<uint32_t> order(items_.size());
    for (size_t i = 0; i < items_.size(); ++i) order[i] = items_[i].position;
    return order;
  }

 private:
  [[nodiscard]] std::string_view At(uint32_t position) const {
    const uint64_t begin = position == 0 ? 0 : ends_[position - 1];
    return arena_.substr(begin, ends_[position] - begin);
  }
  [[nodiscard]] size_t CommonPrefix() const {
    if (ends_.empty()) return 0;
    std::string_view common = At(0);
    for (size_t i = 1; i < ends_.size() && !common.empty(); ++i) {
      const std::string_view value = At(static_cast<uint32_t>(i));
      size_t length = 0;
      const size_t limit = std::min(common.size(), value.size());
      while (length < limit && common[length] == value[length]) ++length;
      common = common.substr(0, length);
    }
    return common.size();
  }
  [[nodiscard]] uint64_t PrefixAt(uint32_t position, size_t depth) const {
    const std::string_view value = At(position);
    if (depth >= value.size()) return 0;
    uint64_t prefix = 0;
    std::memcpy(&prefix, value.data() + depth, std::min<size_t>(8, value.size() - depth));
    static_assert(std::endian::native == std::endian::little);
    return __builtin_bswap64(prefix);
  }

  /// Sorts strings that agree in their first `depth` bytes.
  void Sort(size_t begin, size_t end, size_t depth) {
    while (end - begin > 1) {
      for (size_t i = begin; i < end; ++i) {
        items_[i].prefix = PrefixAt(items_[i].position, depth);
      }
      if (end - begin < kRadixFrom) {
        std::sort(items_.begin() + begin, items_.begin() + end,
                  [this, depth](const Prefixed& a, const Prefixed& b) {
                    if (a.prefix != b.prefix) return a.prefix < b.prefix;
                    const std::string_view left = At(a.position);
                    const std::string_view right = At(b.position);
                    return left.substr(std::min(depth, left.size())) <
                           right.substr(std::min(depth, right.size()));
                  });
        return;
      }
      RadixSort(&items_, begin, end, &scratch_, [](const Prefixed& item) { return item.prefix; });
      depth += 8;
      // Ties go one level deeper: the longest run in this loop, the others by recursion, which
      // bounds the nesting by the logarithm of the size.
      size_t next_begin = end;
      size_t next_end = end;
      for (size_t run = begin; run < end;) {
        size_t stop = run + 1;
        while (stop < end && items_[stop].prefix == items_[run].prefix) ++stop;
        if (stop - run > 1) {
          // A string that ended within these eight bytes is a prefix, but for NUL padding, of
          // those that go on.
          auto longer = std::partition(
              items_.begin() + run, items_.begin() + stop,
              [this, depth](const Prefixed& item) { return At(item.position).size() <= depth; });
          std::sort(items_.begin() + run, longer, [this](const Prefixed& a, const Prefixed& b) {
            return At(a.position).size() < At(b.position).size();
          });
          auto rest = static_cast<size_t>(longer - items_.begin());
          size_t rest_end = stop;
          if (rest_end - rest > next_end - next_begin) {
            std::swap(rest, next_begin);
            std::swap(rest_end, next_end);
          }
          Sort(rest, rest_end, depth);
        }
        run = stop;
      }
      begin = next_begin;
      end = next_end;
    }
  }

  std::string_view arena_;
  const std::vector<uint64_t>& ends_;
  std::vector<Prefixed> items_;
  std::vector<Prefixed> scratch_;
};

}  // namespace

std::vector<uint32_t> ByteOrder(std::string_view arena, const std::vector<uint64_t>& ends) {
  return ByteOrderSort(arena, ends).Run();
}

void SortWords(std::vector<uint64_t>* keys) {
  if (keys->size() < kRadixFrom) return std::sort(keys->begin(), keys->end());
  std::vector<uint64_t> scratch;
  RadixSort(keys, 0, keys->size(), &scratch, [](uint64_t key) { return key; });
}

}  // namespace ariadne::index
