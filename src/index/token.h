#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include <arrow/type_fwd.h>

namespace ariadne::index {

/// Writes the tokens of a column's values: what the JVM library hashes for a bloom filter, which is
/// the `toString` of the Java object that Spark gives for the value. A value has several tokens
/// where equal values, or two releases of Java, print differently; a filter holds all of them and a
/// probe asks for each.
class TokenWriter {
 public:
  using Visit = std::function<void(std::string_view)>;

  /// True for the types that have tokens: scalars other than binary.
  static bool HasTokens(const arrow::DataType& type);

  /// `time_zone`: zone in which timestamps are printed, as the Java property or Spark's session
  /// setting names it. Throws InvalidArgument for an unknown one.
  TokenWriter(std::shared_ptr<arrow::DataType> type, const std::string& time_zone);
  ~TokenWriter();

  /// Calls `visit` with each token of value i of `values`; the token lives during the call.
  void ForEachToken(const arrow::Array& values, int64_t i, const Visit& visit) const;
  /// The same with every token under which another machine may have put the value: its time zone
  /// database may be of another release than ours. Returns false where that cannot be told, so that
  /// the value may be in any filter.
  [[nodiscard]] bool ForEachProbeToken(const arrow::Array& values, int64_t i,
                                       const Visit& visit) const;

 private:
  struct Zone;
  std::shared_ptr<arrow::DataType> type_;
  std::unique_ptr<Zone> zone_;
};

}  // namespace ariadne::index
