#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace ariadne::source {

inline constexpr int kNameMissing = -1;
inline constexpr int kNameAmbiguous = -2;

/// Place of `wanted` among `count` names, as Spark's Parquet reader finds a column: the exact name
/// first, else the one name that equals it without regard to case. kNameAmbiguous where two do.
int FindName(int count, const std::function<std::string_view(int)>& name, std::string_view wanted);

}  // namespace ariadne::source
