#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "text/text_format.h"

namespace ariadne::text {

/// The cases of data/{name}.jsonl.gz, each with Spark's answer (spark/SparkTextRows.scala).
std::vector<nlohmann::json> SparkCases(const std::string& name);
/// Format and read options of a case.
TextFormat FormatOf(const nlohmann::json& test);
std::string FromBase64(const std::string& text);

}  // namespace ariadne::text
