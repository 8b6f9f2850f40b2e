#include "engine/table_format.h"

#include <cctype>
#include <filesystem>

#include "ariadne/errors.h"

namespace ariadne::engine {

TableFormat FormatOf(const std::string& url) {
  std::string name = url.substr(url.rfind('/') + 1);
  for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (name.ends_with(".gz")) name.resize(name.size() - 3);
  if (name.ends_with(".parquet")) return TableFormat::kParquet;
  if (name.ends_with(".csv")) return TableFormat::kCsv;
  if (name.ends_with(".tsv")) return TableFormat::kTsv;
  if (name.ends_with(".json")) return TableFormat::kJson;
  if (name.ends_with(".ndjson") || name.ends_with(".jsonl")) return TableFormat::kJsonLines;
  throw InvalidArgument("'" + url +
                        "' has no suffix that tells its format: name it .parquet, .csv, .tsv, "
                        ".json, .ndjson or .jsonl");
}

std::string ToUrl(const std::string& name) {
  if (name.find("://") != std::string::npos) return name;
  return "file://" + std::filesystem::absolute(name).lexically_normal().string();
}

}  // namespace ariadne::engine
