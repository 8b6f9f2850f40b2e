#include "cli/settings.h"

#include <cctype>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "ariadne/errors.h"
#include "cli/row_group_settings.h"
#include "cli/values.h"
#include "index/civil_time.h"

namespace ariadne::cli {

namespace {

struct Definition {
  Setting setting;
  const char* expected;  ///< What a valid value is.
  /// False: the value cannot be meant; nothing was changed.
  std::function<bool(const std::string&, Surroundings&)> take;
  /// nullopt: as given, or not set.
  std::function<std::optional<std::string>(const Surroundings&)> show;
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
Definition Whole(Setting setting, T Options::*field, int64_t least, const char* expected,
                 int64_t most = std::numeric_limits<T>::max()) {
  return {std::move(setting), expected,
          [field, least, most](const std::string& text, Surroundings& target) {
            const auto value = ParseNumber<T>(text);
            if (!value || *value < least || *value > most) return false;
            target.options.*field = *value;
            return true;
          },
          [field](const Surroundings& source) -> std::optional<std::string> {
            return std::to_string(source.options.*field);
          }};
}

Definition Seconds(Setting setting, double Options::*field) {
  setting.type = "S";
  setting.note = "seconds";
  return {std::move(setting), "a number of seconds, 0 at least",
          [field](const std::string& text, Surroundings& target) {
            const auto value = ParseNumber<double>(text);
            if (!value || !(*value >= 0) || std::isinf(*value)) return false;
            target.options.*field = *value;
            return true;
          },
          [field](const Surroundings& source) -> std::optional<std::string> {
            return Text(source.options.*field);
          }};
}

/// Accepted so that one file may serve both libraries; there are no partitions to deal out here.
Definition Ignored(Setting setting, const char* expected,
                   std::function<bool(const std::string&)> valid) {
  setting.help = "Accepted and ignored: no data is dealt out to partitions here";
  setting.note = "ignored here: no data is dealt out to partitions";
  return {
      std::move(setting), expected,
      [valid = std::move(valid)](const std::string& text, Surroundings&) { return valid(text); },
      [](const Surroundings&) -> std::optional<std::string> { return std::nullopt; }};
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
  all.push_back(
      {{.name = "storagePath",
        .flag = "--root",
        .type = "URL",
        .help = "Folder or URL that holds the indexes; default: $ARIADNE_ROOT",
        .note = "where the indexes are",
        .is_common = true},
       "a folder or URL",
       [](const std::string& text, Surroundings& target) {
         if (text.empty()) return false;
         target.root = text;
         return true;
       },
       [](const Surroundings& source) -> std::optional<std::string> { return source.root; }});
  all.push_back(Whole({.name = "largeIndexLimit",
                       .flag = "--large-index-limit",
                       .type = "N",
                       .help = "Distinct values of a file and column at which they leave the main "
                               "index for a table of their own"},
                      &Options::large_index_limit, 1, "a positive number"));
  all.push_back(Whole({.name = "stagingConsolidationThreshold",
                       .flag = "--staging-consolidation-threshold",
                       .type = "N",
                       .help = "Batches between two consolidations"},
                      &Options::staging_consolidation_threshold, 1, "a positive number"));
  all.push_back({{.name = "autoCompactThreshold",
                  .flag = "--auto-compact-threshold",
                  .type = "N",
                  .help = "Batches since the last compaction from which on an update compacts; "
                          "default, and 0: never",
                  .note = "empty: never"},
                 "a number, 0 at least",
                 [](const std::string& text, Surroundings& target) {
                   const auto value = ParseNumber<int64_t>(text);
                   if (!value || *value < 0) return false;
                   target.options.auto_compact_threshold = *value;
                   return true;
                 },
                 [](const Surroundings& source) -> std::optional<std::string> {
                   const int64_t value = source.options.auto_compact_threshold;
                   return value == 0 ? "" : std::to_string(value);
                 }});
  all.push_back({{.name = "autoBloomFpr",
                  .flag = "--auto-bloom-fpr",
                  .type = "P",
                  .help = "False positive rate of the filters that a column gets with its first "
                          "large file"},
                 "a number between 0 and 1, such as 0.01",
                 [](const std::string& text, Surroundings& target) {
                   const auto value = ParseNumber<double>(text);
                   if (!value || !(*value > 0 && *value < 1)) return false;
                   target.options.auto_bloom_fpr = *value;
                   return true;
                 },
                 [](const Surroundings& source) -> std::optional<std::string> {
                   return Text(source.options.auto_bloom_fpr);
                 }});
  all.push_back(Seconds({.name = "lockTimeout",
                         .flag = "--lock-timeout",
                         .help = "Seconds without refresh after which a lock is stale"},
                        &Options::lock_timeout_seconds));
  all.push_back(Seconds({.name = "lockRetryInterval",
                         .flag = "--lock-retry-interval",
                         .help = "Longest pause between two tries for a lock, in seconds"},
                        &Options::lock_retry_interval_seconds));
  all.push_back(Seconds({.name = "lockMaxWait",
                         .flag = "--lock-max-wait",
                         .help = "Seconds to wait for a lock before giving up (exit code 4)"},
                        &Options::lock_max_wait_seconds));
  all.push_back(Whole({.name = "lockRefreshInterval",
                       .flag = "--lock-refresh-interval",
                       .type = "N",
                       .help = "Batches between two refreshes of the update lock",
                       .note = "batches"},
                      &Options::lock_refresh_interval, 1, "a positive number"));
  all.push_back(
      Ignored({.name = "indexRepartitionCount", .flag = "--index-repartition-count", .type = "N"},
              "a positive number", [](const std::string& text) {
                const auto value = ParseNumber<int64_t>(text);
                return value && *value > 0;
              }));
  all.push_back(Ignored(
      {.name = "repartitionDataFiles", .flag = "--repartition-data-files", .type = "true|false"},
      "true or false", [](const std::string& text) { return ParseBoolean(text).has_value(); }));
  all.push_back({{.name = "debug",
                  .flag = "--debug",
                  .help = "Say on stderr what took how long and read how much",
                  .is_common = true},
                 "true or false",
                 [](const std::string& text, Surroundings& target) {
                   const auto value = ParseBoolean(text);
                   if (value) target.debug = *value;
                   return value.has_value();
                 },
                 [](const Surroundings& source) -> std::optional<std::string> {
                   return source.debug ? "true" : "false";
                 }});
  all.push_back({{.name = "memory",
                  .flag = "--memory",
                  .type = "SIZE",
                  .help = "Memory that one operation may use; default: a quarter of the machine's",
                  .note = "0: a quarter of the machine's",
                  .is_common = true},
                 "a size, as 2GiB, or 0",
                 [](const std::string& text, Surroundings& target) {
                   try {
                     target.options.memory_bytes = text == "0" ? 0 : ParseSize(text);
                     return true;
                   } catch (const InvalidArgument&) {
                     return false;
                   }
                 },
                 [](const Surroundings& source) -> std::optional<std::string> {
                   return std::to_string(source.options.memory_bytes);
                 }});
  all.push_back(Whole({.name = "threads",
                       .flag = "--threads",
                       .type = "N",
                       .help = "Threads to use; default: one a core",
                       .note = "0: one a core",
                       .is_common = true},
                      &Options::threads, 0, "a number from 0 to 1024", 1024));
  all.push_back({{.name = "unindexed",
                  .flag = "--unindexed",
                  .type = "include|exclude|error",
                  .help = "Tracked files that no update has indexed: include them as candidates "
                          "(default), exclude them, or refuse to answer (error)",
                  .is_common = true},
                 "include, exclude or error",
                 [](const std::string& text, Surroundings& target) {
                   for (const Unindexed value :
                        {Unindexed::kInclude, Unindexed::kExclude, Unindexed::kError}) {
                     if (text != Name(value)) continue;
                     target.options.unindexed = value;
                     return true;
                   }
                   return false;
                 },
                 [](const Surroundings& source) -> std::optional<std::string> {
                   return Name(source.options.unindexed);
                 }});
  all.push_back({{.name = "tokenTimeZone",
                  .flag = "--token-time-zone",
                  .type = "ZONE",
                  .help = "Time zone of timestamps in bloom filters: in it ours are written "
                          "(default UTC), and filters of unknown origin taken",
                  .note = "empty: UTC, foreign filters unknown"},
                 "the name of a time zone, such as Europe/Paris, nor an offset, such as +02:00",
                 [](const std::string& text, Surroundings& target) {
                   if (!text.empty() && !IsTimeZone(text)) return false;
                   target.options.token_time_zone = text;
                   return true;
                 },
                 [](const Surroundings& source) -> std::optional<std::string> {
                   return source.options.token_time_zone;
                 }});
  // They are checked here and kept as text: the commands that query read them there.
  for (const RowGroupSetting& each : RowGroupSettings()) {
    all.push_back({{.name = each.name, .note = each.note},
                   each.expected,
                   [take = each.take](const std::string& text, Surroundings&) {
                     rowgroup::RowGroupOptions checked;
                     return take(text, checked);
                   },
                   [](const Surroundings&) -> std::optional<std::string> { return std::nullopt; }});
  }
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
    if (text.empty() || text.front() == '#' || text.front() == '!') continue;
    // As java.util.Properties: the first =, : or blank ends the key, and blanks may surround it.
    const std::string_view key_text = text.substr(0, text.find_first_of("=: \t"));
    std::string_view value = Trim(text.substr(key_text.size()));
    const bool is_pair = key_text.size() < text.size();
    if (value.starts_with('=') || value.starts_with(':')) value = Trim(value.substr(1));
    if (!is_pair) {
      warnings->push_back(path + ":" + std::to_string(number) +
                          ": no 'key = value', left out: " + std::string(text));
      continue;
    }
    std::string_view key = key_text;
    constexpr std::string_view kSpark = "spark.";
    constexpr std::string_view kOurs = "ariadne.";
    if (key.starts_with(kSpark)) key.remove_prefix(kSpark.size());
    if (!key.starts_with(kOurs)) continue;
    key.remove_prefix(kOurs.size());
    values[std::string(key)] = value;
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

const std::vector<Setting>& Settings() {
  static const std::vector<Setting> settings = [] {
    std::vector<Setting> all;
    for (const Definition& definition : Definitions()) all.push_back(definition.setting);
    return all;
  }();
  return settings;
}

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
      if (definition.take(*text, result)) {
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

void TakeFlags(const SettingFlags& flags, Surroundings& surroundings) {
  for (size_t i = 0; i < Definitions().size(); ++i) {
    const Definition& definition = Definitions()[i];
    SettingValue& value = surroundings.values[i];
    const std::string& flag = definition.setting.flag;
    const auto found = flags.find(definition.setting.name);
    if (found != flags.end() && found->second) {
      if (!definition.take(*found->second, surroundings)) {
        throw InvalidArgument(flag + " '" + *found->second + "' is not " + definition.expected);
      }
      value.value = *found->second;
      value.origin = "flag " + flag;
    }
    if (auto shown = definition.show(surroundings)) value.value = *std::move(shown);
  }
}

}  // namespace ariadne::cli
