#include "rowgroup/row_group_index.h"

namespace ariadne::rowgroup {

bool RowGroupIndex::MayMatch(const Predicate& predicate) const {
  if (const auto* range = std::get_if<ValueRange>(&values)) return range->MayMatch(predicate);
  if (predicate.op != Predicate::Op::kIn) return true;
  const auto& filter = std::get<BloomFilter>(values);
  for (const Value& value : predicate.values) {
    if (filter.MayContain(HashOf(value))) return true;
  }
  return false;
}

int64_t RowGroupIndex::MemoryBytes() const {
  constexpr auto kSelf = static_cast<int64_t>(sizeof(RowGroupIndex));
  const auto* filter = std::get_if<BloomFilter>(&values);
  // Bounds of a range are cut to some 64 bytes each.
  return kSelf + (filter != nullptr ? static_cast<int64_t>(filter->bytes().size()) : 128);
}

std::optional<double> RowGroupIndex::Fill() const {
  const auto* filter = std::get_if<BloomFilter>(&values);
  return filter == nullptr ? std::nullopt : std::optional(filter->Fill());
}

std::string RowGroupIndex::EncodeValues() const {
  if (const auto* filter = std::get_if<BloomFilter>(&values)) return std::string(filter->bytes());
  return std::get<ValueRange>(values).Encode();
}

std::optional<RowGroupIndex> RowGroupIndex::Decode(Kind kind, int64_t rows,
                                                   std::optional<int64_t> distinct,
                                                   std::string_view values) {
  if (rows < 0 || distinct.value_or(0) < 0) return std::nullopt;
  if (kind == Kind::kRange) {
    auto range = ValueRange::Decode(values);
    if (!range) return std::nullopt;
    return RowGroupIndex{.rows = rows, .distinct = distinct, .values = *std::move(range)};
  }
  if (values.empty() || values.size() % BloomFilter::kBlockBytes != 0) return std::nullopt;
  return RowGroupIndex{.rows = rows, .distinct = distinct, .values = BloomFilter(values)};
}

}  // namespace ariadne::rowgroup
