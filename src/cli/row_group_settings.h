#pragma once

#include <functional>
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

/// What the settings say of row-group indexes; all off where they say nothing.
rowgroup::RowGroupOptions RowGroupOptionsOf(const std::vector<SettingValue>& settings);

}  // namespace ariadne::cli
