#include "rowgroup/value_range.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <random>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ariadne::rowgroup {
namespace {

using Op = Predicate::Op;

constexpr Op kOps[] = {Op::kIn,           Op::kLess,   Op::kLessEqual, Op::kGreater,
                       Op::kGreaterEqual, Op::kIsNull, Op::kIsNotNull};

/// -1, 0, 1 in the engine's order: NaN equals NaN and is above all.
int Compare(const Value& a, const Value& b) {
  if (const auto* x = std::get_if<double>(&a)) {
    const double y = std::get<double>(b);
    if (std::isnan(*x) || std::isnan(y)) return int{std::isnan(*x)} - int{std::isnan(y)};
    return *x < y ? -1 : int{*x > y};
  }
  return a < b ? -1 : int{b < a};
}

bool Matches(const std::optional<Value>& row, const Predicate& predicate) {
  if (predicate.op == Op::kIsNull) return !row;
  if (predicate.op == Op::kIsNotNull) return row.has_value();
  if (!row) return false;
  return std::any_of(predicate.values.begin(), predicate.values.end(), [&](const Value& value) {
    const int order = Compare(*row, value);
    switch (predicate.op) {
      case Op::kIn:
        return order == 0;
      case Op::kLess:
        return order < 0;
      case Op::kLessEqual:
        return order <= 0;
      case Op::kGreater:
        return order > 0;
      default:
        return order >= 0;
    }
  });
}

Value RandomValue(std::mt19937& random, Domain domain) {
  switch (domain) {
    case Domain::kInteger: {
      const int64_t edges[] = {std::numeric_limits<int64_t>::min(),
                               std::numeric_limits<int64_t>::max(), 0, -1};
      return random() % 10 == 0 ? edges[random() % 4] : static_cast<int64_t>(random() % 40) - 20;
    }
    case Domain::kDouble: {
      const double edges[] = {0.0,
                              -0.0,
                              std::numeric_limits<double>::quiet_NaN(),
                              -std::numeric_limits<double>::quiet_NaN(),
                              std::numeric_limits<double>::infinity(),
                              -std::numeric_limits<double>::infinity(),
                              5e-324};
      return random() % 3 == 0 ? edges[random() % 7] : (static_cast<int>(random() % 40) - 20) / 4.0;
    }
    case Domain::kBytes:
      break;
  }
  std::string text;
  // Long common prefixes, bytes above 0x7F and 0xFF runs: where bounds are cut.
  if (random() % 2 == 0) text.assign(60 + random() % 8, random() % 3 == 0 ? '\xFF' : 'p');
  for (size_t length = random() % 8; length > 0; --length) {
    text += static_cast<char>(random() % 3 == 0 ? 0xFF - random() % 2 : random() % 4);
  }
  return text;
}

TEST(ValueRange, NeverDeniesARowThatMatches) {
  std::mt19937 random(1);
  int denied = 0;
  for (int round = 0; round < 20'000; ++round) {
    const auto domain = static_cast<Domain>(random() % 3);
    ValueRange range(domain);
    std::vector<std::optional<Value>> rows(random() % 5);
    for (auto& row : rows) {
      if (random() % 5 == 0) {
        range.AddNull();
        continue;
      }
      row = RandomValue(random, domain);
      std::visit(
          [&](const auto& held) {
            if constexpr (std::is_same_v<std::decay_t<decltype(held)>, std::string>) {
              range.Add(std::string_view(held));
            } else {
              range.Add(held);
            }
          },
          *row);
    }
    const auto read = ValueRange::Decode(range.Encode());
    ASSERT_TRUE(read);
    EXPECT_EQ(read->Encode(), range.Encode());
    for (const Op op : kOps) {
      Predicate predicate{.op = op};
      const size_t count = op == Op::kIn ? random() % 3 : 1;
      for (size_t i = 0; i < count; ++i) predicate.values.push_back(RandomValue(random, domain));
      const bool any = std::any_of(rows.begin(), rows.end(),
                                   [&](const auto& row) { return Matches(row, predicate); });
      ASSERT_TRUE(range.MayMatch(predicate) || !any) << range.ToText() << " op " << int(op);
      ASSERT_TRUE(read->MayMatch(predicate) || !any) << range.ToText() << " op " << int(op);
      denied += range.MayMatch(predicate) ? 0 : 1;
    }
  }
  EXPECT_GT(denied, 20'000);
}

TEST(ValueRange, KnowsNothingOfValuesOfAnotherDomain) {
  ValueRange range(Domain::kInteger);
  range.Add(int64_t{3});
  EXPECT_TRUE(range.MayMatch({Op::kIn, {Value(99.0)}}));
  EXPECT_FALSE(range.MayMatch({Op::kIn, {Value(int64_t{99})}}));
}

TEST(ValueRange, IsShownWithNullAndNaN) {
  ValueRange numbers(Domain::kDouble);
  EXPECT_EQ(numbers.ToText(), "no rows");
  numbers.Add(-0.0);
  numbers.Add(2.5);
  numbers.Add(std::numeric_limits<double>::quiet_NaN());
  numbers.AddNull();
  EXPECT_EQ(numbers.ToText(), "[0, 2.5], NaN, NULL");
  ValueRange text(Domain::kBytes);
  text.Add(std::string_view("a\nb"));
  EXPECT_EQ(text.ToText(), "['a\\x0ab', 'a\\x0ab']");
}

TEST(ValueRange, DecodesOnlyWhatItEncoded) {
  std::mt19937 random(2);
  for (int round = 0; round < 20'000; ++round) {
    ValueRange range(static_cast<Domain>(random() % 3));
    std::string bytes = range.Encode();
    bytes.resize(random() % (bytes.size() + 3), 'x');
    if (!bytes.empty() && random() % 2 == 0) bytes[random() % bytes.size()] ^= 1 << random() % 8;
    const auto read = ValueRange::Decode(bytes);
    if (read) {
      EXPECT_EQ(read->Encode().size(), bytes.size());
    }
  }
}

}  // namespace
}  // namespace ariadne::rowgroup
