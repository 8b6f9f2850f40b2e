#include "cli/settings.h"

#include <cctype>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "ariadne/errors.h"
#include "cli/values.h"
#include "index/civil_time.h"

namespace ariadne::cli {

namespace {

/// What the settings are put into and shown from.
struct Target {
  std::string* root;
  Options* options;
  bool* debug;
};
struct Source {
  const std::string& root;
  const Options& options;
  bool debug;
};

struct Definition {
  Setting setting;
  const char* expected;  ///< What a valid value is.
  /// False: the value cannot be meant; nothing was changed.
  std::function<bool(const std::string&, const Target&)> take;
  /// nullopt: as given, or not set.
  std::function<std::optional<std::string>(const Source&)> show;
};

template <typename T>
std::optional<T> ParseNumber(const std::string& text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string Text(double value) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof(text), value);
  return {text, end.ptr};
}

std::optional<bool> ParseBoolean(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (text == "true") return true;
  if (text == "false") return false;
  return std::nullopt;
}

template <typename T>
Definition Whole(const char* name, const char* flag, T Options::*field, int64_t least,
                 const char* expected, const char* note = "") {
  return {{name, flag, note},
          expected,
          [field, least](const std::string& text, const Target& target) {
            const auto value = ParseNumber<T>(text);
            if (!value || *value < least) return false;
            target.options->*field = *value;
            return true;
          },
          [field](const Source& source) -> std::optional<std::string> {
            return std::to_string(source.options.*field);
          }};
}

Definition Seconds(const char* name, const char* flag, double Options::*field) {
  return {{name, flag, "seconds"},
          "a number of seconds, 0 at least",
          [field](const std::string& text, const Target& target) {
            const auto value = ParseNumber<double>(text);
            if (!value || !(*value >= 0) || std::isinf(*value)) return false;
            target.options->*field = *value;
            return true;
          },
          [field](const Source& source) -> std::optional<std::string> {
            return Text(source.options.*field);
          }};
}

/// Accepted so that one file may serve both libraries; there are no partitions to deal out here.
Definition Ignored(const char* name, const char* flag, const char* expected,
                   std::function<bool(const std::string&)> valid) {
  return {
      {name, flag, "ignored here: no data is dealt out to partitions"},
      expected,
      [valid = std::move(valid)](const std::string& text, const Target&) { return valid(text); },
      [](const Source&) -> std::optional<std::string> { return std::nullopt; }};
}

const char* Name(Unindexed unindexed) {
  switch (unindexed) {
    case Unindexed::kInclude:
      return "include";
    case Unindexed::kExclude:
      return "exclude";
    case Unindexed::kError:
      return "error";
  }
  return "";
}

std::vector<Definition> MakeDefinitions() {
  std::vector<Definition> all;
  all.push_back({{"storagePath", "--root", "where the indexes are"},
                 "a folder or URL",
                 [](const std::string& text, const Target& target) {
                   if (text.empty()) return false;
                   *target.root = text;
                   return true;
                 },
                 [](const Source& source) -> std::optional<std::string> { return source.root; }});
  all.push_back(Whole("largeIndexLimit", "--large-index-limit", &Options::large_index_limit, 1,
                      "a positive number"));
  all.push_back(Whole("stagingConsolidationThreshold", "--staging-consolidation-threshold",
                      &Options::staging_consolidation_threshold, 1, "a positive number"));
  all.push_back({{"autoCompactThreshold", "--auto-compact-threshold", "empty: never"},
                 "a positive number",
                 [](const std::string& text, const Target& target) {
                   const auto value = ParseNumber<int64_t>(text);
                   if (!value || *value < 1) return false;
                   target.options->auto_compact_threshold = *value;
                   return true;
                 },
                 [](const Source& source) -> std::optional<std::string> {
                   const int64_t value = source.options.auto_compact_threshold;
                   return value == 0 ? "" : std::to_string(value);
                 }});
  all.push_back({{"autoBloomFpr", "--auto-bloom-fpr", ""},
                 "a number between 0 and 1",
                 [](const std::string& text, const Target& target) {
                   const auto value = ParseNumber<double>(text);
                   if (!value || !(*value > 0 && *value < 1)) return false;
                   target.options->auto_bloom_fpr = *value;
                   return true;
                 },
                 [](const Source& source) -> std::optional<std::string> {
                   return Text(source.options.auto_bloom_fpr);
                 }});
  all.push_back(Seconds("lockTimeout", "--lock-timeout", &Options::lock_timeout_seconds));
  all.push_back(
      Seconds("lockRetryInterval", "--lock-retry-interval", &Options::lock_retry_interval_seconds));
  all.push_back(Seconds("lockMaxWait", "--lock-max-wait", &Options::lock_max_wait_seconds));
  all.push_back(Whole("lockRefreshInterval", "--lock-refresh-interval",
                      &Options::lock_refresh_interval, 1, "a positive number", "batches"));
  all.push_back(Ignored("indexRepartitionCount", "--index-repartition-count", "a positive number",
                        [](const std::string& text) {
                          const auto value = ParseNumber<int64_t>(text);
                          return value && *value > 0;
                        }));
  all.push_back(Ignored("repartitionDataFiles", "--repartition-data-files", "true or false",
                        [](const std::string& text) { return ParseBoolean(text).has_value(); }));
  all.push_back({{"debug", "--debug", ""},
                 "true or false",
                 [](const std::string& text, const Target& target) {
                   const auto value = ParseBoolean(text);
                   if (value) *target.debug = *value;
                   return value.has_value();
                 },
                 [](const Source& source) -> std::optional<std::string> {
                   return source.debug ? "true" : "false";
                 }});
  all.push_back({{"memory", "--memory", "0: a quarter of the machine's"},
                 "a size, as 2GiB",
                 [](const std::string& text, const Target& target) {
                   try {
                     target.options->memory_bytes = ParseSize(text);
                     return true;
                   } catch (const InvalidArgument&) {
                     return false;
                   }
                 },
                 [](const Source& source) -> std::optional<std::string> {
                   return std::to_string(source.options.memory_bytes);
                 }});
  all.push_back(
      Whole("threads", "--threads", &Options::threads, 0, "a number, 0 at least", "0: one a core"));
  all.push_back({{"unindexed", "--unindexed", ""},
                 "include, exclude or error",
                 [](const std::string& text, const Target& target) {
                   for (const Unindexed value :
                        {Unindexed::kInclude, Unindexed::kExclude, Unindexed::kError}) {
                     if (text != Name(value)) continue;
                     target.options->unindexed = value;
                     return true;
                   }
                   return false;
                 },
                 [](const Source& source) -> std::optional<std::string> {
                   return Name(source.options.unindexed);
                 }});
  all.push_back({{"tokenTimeZone", "--token-time-zone", "empty: UTC, foreign filters unknown"},
                 "the name of a time zone",
                 [](const std::string& text, const Target& target) {
                   if (!text.empty() && !IsTimeZone(text)) return false;
                   target.options->token_time_zone = text;
                   return true;
                 },
                 [](const Source& source) -> std::optional<std::string> {
                   return source.options.token_time_zone;
                 }});
  return all;
}

const std::vector<Definition>& Definitions() {
  static const std::vector<Definition> definitions = MakeDefinitions();
  return definitions;
}

/// "largeIndexLimit" -> "ARIADNE_LARGE_INDEX_LIMIT"
std::string EnvironmentName(const std::string& name) {
  std::string result = "ARIADNE_";
  for (const char c : name) {
    if (std::isupper(static_cast<unsigned char>(c)) != 0) result += '_';
    result += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  return result;
}

std::string_view Trim(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r";
  const size_t begin = text.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
}

/// Keys without `spark.` and `ariadne.`; keys of other programs are left out.
std::map<std::string, std::string> ReadFile(const std::string& path,
                                            std::vector<std::string>* warnings) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw FileNotFound("the configuration file cannot be read: " + path);
  std::map<std::string, std::string> values;
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    std::string_view text = Trim(line);
    if (text.empty() || text.front() == '#') continue;
    const size_t equals = text.find('=');
    if (equals == std::string_view::npos) {
      warnings->push_back(path + ":" + std::to_string(number) +
                          ": no 'key = value', left out: " + std::string(text));
      continue;
    }
    std::string_view key = Trim(text.substr(0, equals));
    constexpr std::string_view kSpark = "spark.";
    constexpr std::string_view kOurs = "ariadne.";
    if (key.starts_with(kSpark)) key.remove_prefix(kSpark.size());
    if (!key.starts_with(kOurs)) continue;
    key.remove_prefix(kOurs.size());
    values[std::string(key)] = Trim(text.substr(equals + 1));
  }
  return values;
}

/// The configuration file to read; empty: none.
std::string FindFile(const std::string& asked,
                     const std::function<const char*(const char*)>& environment) {
  if (!asked.empty()) return asked;
  if (const char* named = environment("ARIADNE_CONFIG"); named != nullptr && *named != '\0') {
    return named;
  }
  constexpr char kFile[] = "ariadne.properties";
  std::error_code ignored;
  if (std::filesystem::is_regular_file(kFile, ignored)) return kFile;
  if (const char* home = environment("HOME"); home != nullptr && *home != '\0') {
    std::string path = std::string(home) + "/.config/ariadne/" + kFile;
    if (std::filesystem::is_regular_file(path, ignored)) return path;
  }
  return "";
}

}  // namespace

bool IsTimeZone(const std::string& name) {
  try {
    (void)index::TimeZone::Load(name);
    return true;
  } catch (const InvalidArgument&) {
    return false;
  }
}

Surroundings ReadSurroundings(const std::string& config_file,
                              const std::function<const char*(const char*)>& environment) {
  Surroundings result;
  const std::string path = FindFile(config_file, environment);
  std::map<std::string, std::string> file;
  if (!path.empty()) file = ReadFile(path, &result.warnings);
  const Target target{&result.root, &result.options, &result.debug};
  for (const Definition& definition : Definitions()) {
    const std::string& name = definition.setting.name;
    SettingValue value{.setting = definition.setting, .value = "", .origin = "default"};
    std::optional<std::string> text;
    std::string origin;
    if (const auto found = file.find(name); found != file.end()) {
      text = found->second;
      origin = "file " + path;
      file.erase(found);
    }
    std::vector<std::string> variables = {EnvironmentName(name)};
    if (name == "storagePath") variables.insert(variables.begin(), "ARIADNE_ROOT");
    for (const std::string& variable : variables) {
      const char* set = environment(variable.c_str());
      if (set == nullptr || *set == '\0') continue;
      text = set;
      origin = "environment " + variable;
      break;
    }
    if (text) {
      if (definition.take(*text, target)) {
        value.value = *text;
        value.origin = origin;
      } else {
        result.warnings.push_back("ariadne." + name + " is '" + *text + "' (" + origin +
                                  "), which is not " + definition.expected +
                                  ": the default is taken");
      }
    }
    result.values.push_back(std::move(value));
  }
  for (const auto& [name, value] : file) {
    result.warnings.push_back(path + ": there is no setting ariadne." + name);
  }
  return result;
}

std::vector<SettingValue> FinalValues(const Surroundings& surroundings, const std::string& root,
                                      const Options& options, bool debug,
                                      const std::function<bool(const std::string& flag)>& given) {
  std::vector<SettingValue> values = surroundings.values;
  const Source source{root, options, debug};
  for (size_t i = 0; i < values.size(); ++i) {
    if (!values[i].setting.flag.empty() && given(values[i].setting.flag)) {
      values[i].origin = "flag " + values[i].setting.flag;
    }
    if (auto shown = Definitions()[i].show(source)) values[i].value = *std::move(shown);
  }
  return values;
}

}  // namespace ariadne::cli
