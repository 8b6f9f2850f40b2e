#include "rowgroup/value_range.h"

#include <cstdio>
#include <cstring>

namespace ariadne::rowgroup {
namespace {

using Op = Predicate::Op;

/// Bytes kept of a bound.
constexpr size_t kPrefix = 64;

enum Flag : uint8_t { kHasValue = 1, kHasNull = 2, kHasNan = 4, kOpen = 8 };

template <typename T>
void Put(std::string* out, T value) {
  char bytes[sizeof(T)];
  std::memcpy(bytes, &value, sizeof(T));
  out->append(bytes, sizeof(T));
}

template <typename T>
bool Take(std::string_view* bytes, T* value) {
  if (bytes->size() < sizeof(T)) return false;
  std::memcpy(value, bytes->data(), sizeof(T));
  bytes->remove_prefix(sizeof(T));
  return true;
}

bool TakeBytes(std::string_view* bytes, std::string* value) {
  uint8_t length = 0;
  if (!Take(bytes, &length) || length > kPrefix || bytes->size() < length) return false;
  value->assign(bytes->substr(0, length));
  bytes->remove_prefix(length);
  return true;
}

/// The smallest text of `kPrefix` bytes at most that is above everything with this prefix; false:
/// there is none.
bool CutAbove(std::string* bound) {
  if (bound->size() <= kPrefix) return true;
  bound->resize(kPrefix);
  while (!bound->empty()) {
    auto& last = reinterpret_cast<unsigned char&>(bound->back());
    if (last != 0xFF) {
      ++last;
      return true;
    }
    bound->pop_back();
  }
  return false;
}

std::string Shown(const std::string& bytes) {
  std::string text = "'";
  for (const unsigned char c : bytes) {
    if (c >= 0x20 && c != 0x7F) {
      text += static_cast<char>(c);
      continue;
    }
    char escaped[8];
    std::snprintf(escaped, sizeof(escaped), "\\x%02x", c);
    text += escaped;
  }
  return text + "'";
}

std::string Shown(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.17g", value);
  return text;
}

}  // namespace

template <typename T>
bool ValueRange::MayCompare(Op op, const T& bound, const T& least, const T& greatest,
                            bool bounded) const {
  switch (op) {
    case Op::kIn:
      return !(bound < least) && (!bounded || !(greatest < bound));
    case Op::kLess:
      return least < bound;
    case Op::kLessEqual:
      return !(bound < least);
    case Op::kGreater:
      return !bounded || bound < greatest;
    case Op::kGreaterEqual:
      return !bounded || !(greatest < bound);
    case Op::kIsNull:
    case Op::kIsNotNull:
      break;
  }
  return true;
}

bool ValueRange::MayHold(Op op, const Value& value) const {
  if (value.index() != static_cast<size_t>(domain_)) return true;
  if (domain_ == Domain::kDouble) {
    const double bound = Canonical(std::get<double>(value));
    if (std::isnan(bound)) {
      switch (op) {
        case Op::kLess:
          return has_value_;
        case Op::kLessEqual:
          return has_value_ || has_nan_;
        case Op::kGreater:
          return false;
        default:
          return has_nan_;
      }
    }
    if (has_nan_ && (op == Op::kGreater || op == Op::kGreaterEqual)) return true;
    return has_value_ && MayCompare(op, bound, least_double_, greatest_double_, true);
  }
  if (!has_value_) return false;
  if (domain_ == Domain::kInteger) {
    return MayCompare(op, std::get<int64_t>(value), least_, greatest_, true);
  }
  return MayCompare(op, std::get<std::string>(value), least_bytes_, greatest_bytes_,
                    !greatest_is_open_);
}

bool ValueRange::MayMatch(const Predicate& predicate) const {
  switch (predicate.op) {
    case Op::kIsNull:
      return has_null_;
    case Op::kIsNotNull:
      return has_value_ || has_nan_;
    default:
      break;
  }
  for (const Value& value : predicate.values) {
    if (MayHold(predicate.op, value)) return true;
  }
  return false;
}

std::string ValueRange::ToText() const {
  std::string text;
  if (has_value_) {
    switch (domain_) {
      case Domain::kInteger:
        text = "[" + std::to_string(least_) + ", " + std::to_string(greatest_) + "]";
        break;
      case Domain::kDouble:
        text = "[" + Shown(least_double_) + ", " + Shown(greatest_double_) + "]";
        break;
      case Domain::kBytes:
        text = "[" + Shown(least_bytes_) + ", " +
               (greatest_is_open_ ? std::string("...") : Shown(greatest_bytes_)) + "]";
        break;
    }
  }
  const auto add = [&text](const char* word) {
    if (!text.empty()) text += ", ";
    text += word;
  };
  if (has_nan_) add("NaN");
  if (has_null_) add("NULL");
  return text.empty() ? "no rows" : text;
}

std::string ValueRange::Encode() const {
  std::string greatest = greatest_bytes_;
  const bool open = greatest_is_open_ || !CutAbove(&greatest);
  if (open) greatest.clear();
  std::string out;
  Put(&out, static_cast<uint8_t>(domain_));
  Put(&out, static_cast<uint8_t>((has_value_ ? kHasValue : 0) | (has_null_ ? kHasNull : 0) |
                                 (has_nan_ ? kHasNan : 0) | (open ? kOpen : 0)));
  switch (domain_) {
    case Domain::kInteger:
      Put(&out, least_);
      Put(&out, greatest_);
      break;
    case Domain::kDouble:
      Put(&out, least_double_);
      Put(&out, greatest_double_);
      break;
    case Domain::kBytes:
      for (const std::string& bound : {least_bytes_.substr(0, kPrefix), greatest}) {
        Put(&out, static_cast<uint8_t>(bound.size()));
        out += bound;
      }
      break;
  }
  return out;
}

std::optional<ValueRange> ValueRange::Decode(std::string_view bytes) {
  uint8_t domain = 0;
  uint8_t flags = 0;
  if (!Take(&bytes, &domain) || domain > static_cast<uint8_t>(Domain::kBytes) ||
      !Take(&bytes, &flags) || flags > (kHasValue | kHasNull | kHasNan | kOpen)) {
    return std::nullopt;
  }
  ValueRange range(static_cast<Domain>(domain));
  range.has_value_ = (flags & kHasValue) != 0;
  range.has_null_ = (flags & kHasNull) != 0;
  range.has_nan_ = (flags & kHasNan) != 0;
  range.greatest_is_open_ = (flags & kOpen) != 0;
  bool whole = false;
  switch (range.domain_) {
    case Domain::kInteger:
      whole = Take(&bytes, &range.least_) && Take(&bytes, &range.greatest_);
      break;
    case Domain::kDouble:
      whole = Take(&bytes, &range.least_double_) && Take(&bytes, &range.greatest_double_);
      break;
    case Domain::kBytes:
      whole = TakeBytes(&bytes, &range.least_bytes_) && TakeBytes(&bytes, &range.greatest_bytes_);
      break;
  }
  if (!whole || !bytes.empty()) return std::nullopt;
  return range;
}

}  // namespace ariadne::rowgroup
