#pragma once

#include <string>

namespace ariadne::index {

// Java's `Double.toString` and `Float.toString`. JDK 19 changed them to the shortest decimal that
// reads back as the value (JDK-4511638); before, some values had a digit too many. Infinity and NaN
// are spelled as Java has them.

std::string JavaDoubleToString(double value);       ///< As JDK 19 and later print it.
std::string JavaFloatToString(float value);         ///< As JDK 19 and later print it.
std::string JavaDoubleToStringJdk18(double value);  ///< As JDK 18 and earlier print it.
std::string JavaFloatToStringJdk18(float value);    ///< As JDK 18 and earlier print it.

}  // namespace ariadne::index
