#include <iostream>

#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/output.h"
#include "cli/text_table.h"

namespace ariadne::cli {

ExitCode Run(const ConfigArguments&, const Context& context) {
  if (context.global.json) {
    Json settings = Json::array();
    for (const SettingValue& value : context.global.settings) {
      settings.push_back({{"name", "ariadne." + value.setting.name},
                          {"value", value.value},
                          {"origin", value.origin},
                          {"note", value.setting.note}});
    }
    PrintJson(context.streams.out, {{"settings", std::move(settings)}});
    return ExitCode::kDone;
  }
  TextTable table({{"setting"}, {"value"}, {"origin"}, {"note"}});
  for (const SettingValue& value : context.global.settings) {
    table.AddRow({"ariadne." + value.setting.name, value.value, value.origin, value.setting.note});
  }
  table.Print(context.streams.out, static_cast<size_t>(context.streams.out_width));
  return ExitCode::kDone;
}

}  // namespace ariadne::cli
