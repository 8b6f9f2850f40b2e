#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "cli/settings.h"
#include "rowgroup/row_group_options.h"

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

/// What was given for one command alone, by the setting's name.
using RowGroupFlags = std::map<std::string, std::string>;
/// "--row-group-bloom" of "rowGroupBloom".
std::string FlagOf(const RowGroupSetting& setting);

/// What the settings say of row-group indexes, and the flags besides, which win; all off where they
/// say nothing. Throws InvalidArgument for a flag's value that cannot be meant.
rowgroup::RowGroupOptions RowGroupOptionsOf(const std::vector<SettingValue>& settings,
                                            const RowGroupFlags& flags = {});

}  // namespace ariadne::cli
