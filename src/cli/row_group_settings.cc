#include "cli/row_group_settings.h"

#include <cctype>
#include <charconv>
#include <string_view>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "ariadne/errors.h"
#include "cli/values.h"

namespace ariadne::cli {
namespace {

using rowgroup::RowGroupOptions;

RowGroupSetting Switch(const char* name, bool RowGroupOptions::*field, const char* note) {
  return {name, note, "true or false", [field](const std::string& text, RowGroupOptions& options) {
            if (text != "true" && text != "false") return false;
            options.*field = text == "true";
            return true;
          }};
}

RowGroupSetting Size(const char* name, int64_t RowGroupOptions::*field, const char* note) {
  return {name, note, "a size, as 2GiB, or 0",
          [field](const std::string& text, RowGroupOptions& options) {
            try {
              options.*field = text == "0" ? 0 : ParseSize(text);
              return true;
            } catch (const InvalidArgument&) {
              return false;
            }
          }};
}

RowGroupSetting Number(const char* name, double RowGroupOptions::*field, double below,
                       const char* expected, const char* note) {
  return {name, note, expected, [field, below](const std::string& text, RowGroupOptions& options) {
            double value = 0;
            const auto [end, error] =
                std::from_chars(text.data(), text.data() + text.size(), value);
            if (error != std::errc() || end != text.data() + text.size()) return false;
            if (!(value > 0 && value < below)) return false;
            options.*field = value;
            return true;
          }};
}

std::vector<RowGroupSetting> MakeSettings() {
  constexpr double kLongest = 1e6;
  return {Switch("rowGroupBloom", &RowGroupOptions::column_bloom,
                 "queries build filters of columns; default false"),
          Switch("rowGroupRange", &RowGroupOptions::column_range,
                 "queries build ranges of columns; default false"),
          Switch("rowGroupExpressions", &RowGroupOptions::expressions,
                 "queries build filters of expressions; default false"),
          Switch("rowGroupPersistence", &RowGroupOptions::persistence,
                 "row-group indexes outlive the process; default false"),
          {"rowGroupRoot", "where they are kept; empty: below the lake's root", "a folder or URL",
           [](const std::string& text, RowGroupOptions& options) {
             options.root = text;
             return true;
           }},
          Size("rowGroupMinTableSize", &RowGroupOptions::min_table_bytes,
               "none are built of smaller tables; default 0"),
          Size("rowGroupStoreSize", &RowGroupOptions::store_bytes,
               "memory for row-group indexes; default 256MiB, 0: unbounded"),
          {"rowGroupStoreEntries", "most row-group indexes in memory; default 0: unbounded",
           "a number, 0 at least",
           [](const std::string& text, RowGroupOptions& options) {
             int64_t value = 0;
             const auto [end, error] =
                 std::from_chars(text.data(), text.data() + text.size(), value);
             if (error != std::errc() || end != text.data() + text.size() || value < 0)
               return false;
             options.store_entries = value;
             return true;
           }},
          Number("rowGroupFpr", &RowGroupOptions::fpr, 1, "a number between 0 and 1",
                 "false positive rate of row-group filters; default 0.0001"),
          Number("rowGroupLoadTimeout", &RowGroupOptions::load_timeout_seconds, kLongest,
                 "a number of seconds", "seconds until a load is given up; default 30"),
          Number("rowGroupLoadWait", &RowGroupOptions::load_wait_seconds, kLongest,
                 "a number of seconds", "longest that a query waits for a load; default 1")};
}

}  // namespace

const std::vector<RowGroupSetting>& RowGroupSettings() {
  static const std::vector<RowGroupSetting> settings = MakeSettings();
  return settings;
}

namespace {

std::string FlagOf(std::string_view name) {
  std::string flag = "--";
  for (const char c : name) {
    if (std::isupper(static_cast<unsigned char>(c)) != 0) flag += '-';
    flag += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return flag;
}

}  // namespace

void AddRowGroupFlags(CLI::App& command, RowGroupFlags& flags) {
  for (const RowGroupSetting& setting : RowGroupSettings()) {
    std::string& value = flags[setting.name];
    const std::string flag = FlagOf(setting.name);
    const bool is_switch = std::string_view(setting.expected) == "true or false";
    auto* option = is_switch ? command.add_flag(flag + "{true}", value, setting.note)
                             : command.add_option(flag, value, setting.note)->type_name("");
    option->group("Row-group indexes");
  }
}

void TakeRowGroupFlags(const RowGroupFlags& flags, std::vector<SettingValue>& settings) {
  RowGroupOptions ignored;
  for (const RowGroupSetting& each : RowGroupSettings()) {
    const auto given = flags.find(each.name);
    if (given == flags.end() || given->second.empty()) continue;
    const std::string flag = FlagOf(each.name);
    if (!each.take(given->second, ignored)) {
      throw InvalidArgument(flag + " '" + given->second + "' is not " + each.expected);
    }
    for (SettingValue& value : settings) {
      if (value.setting.name != each.name) continue;
      value.value = given->second;
      value.origin = "flag " + flag;
    }
  }
}

RowGroupOptions RowGroupOptionsOf(const std::vector<SettingValue>& settings) {
  RowGroupOptions options;
  for (const RowGroupSetting& each : RowGroupSettings()) {
    for (const SettingValue& value : settings) {
      if (value.setting.name == each.name && !value.value.empty()) {
        each.take(value.value, options);
      }
    }
  }
  return options;
}

}  // namespace ariadne::cli
