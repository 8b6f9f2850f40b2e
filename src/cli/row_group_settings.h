#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "cli/settings.h"
#include "rowgroup/row_group_options.h"

namespace CLI {
class App;
}

namespace ariadne::cli {

/// A setting of the row-group indexes that queries build.
struct RowGroupSetting {
  const char* name;
  const char* note;
  const char* expected;  ///< What a valid value is.
  /// False: the value cannot be meant; nothing was changed.
  std::function<bool(const std::string&, rowgroup::RowGroupOptions&)> take;
};
const std::vector<RowGroupSetting>& RowGroupSettings();

/// What flags say for one command alone, by the setting's name; empty: nothing.
using RowGroupFlags = std::map<std::string, std::string>;
/// Declares a flag a setting: `--row-group-bloom` of `rowGroupBloom`.
void AddRowGroupFlags(CLI::App& command, RowGroupFlags& flags);
/// Flags win. Throws InvalidArgument for a value that cannot be meant.
void TakeRowGroupFlags(const RowGroupFlags& flags, std::vector<SettingValue>& settings);

/// What the settings say of row-group indexes; all off where they say nothing.
rowgroup::RowGroupOptions RowGroupOptionsOf(const std::vector<SettingValue>& settings);

}  // namespace ariadne::cli
