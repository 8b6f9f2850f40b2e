#include "cli/rowgroups_arguments.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "ariadne/errors.h"

namespace ariadne::cli {

void AddRowGroups(CLI::App& app, RowGroupsArguments& command) {
  auto* sub = app.add_subcommand("rowgroups", "Look at the row-group indexes that are kept");
  sub->require_subcommand(1);
  sub->add_subcommand("list", "One line a file and column or expression");
  auto* show = sub->add_subcommand("show", "Every index of one file, with fill and range");
  show->add_option("FILE", command.file, "A data file")->required()->type_name("");
  auto* dump = sub->add_subcommand("dump", "Write all indexes, filters included");
  dump->add_option("-o,--output", command.output, "A .parquet, .csv or .json file")
      ->required()
      ->type_name("FILE");
  auto* drop = sub->add_subcommand("drop", "Forget indexes");
  drop->add_option("FILE", command.file, "Of this data file only")->type_name("");
  drop->add_flag("--stale", command.stale, "Of files that are gone or were overwritten");
  drop->add_flag("--all", command.all, "All of them, also where what is kept is damaged");
  sub->footer(
      R"help(Queries build row-group indexes where settings such as ariadne.rowGroupBloom = true say so;
ariadne.rowGroupPersistence keeps them. They are derived: what is dropped costs time, never an
answer. In a running process: FROM ariadne_row_groups().

Examples:
  export ARIADNE_ROW_GROUP_BLOOM=true ARIADNE_ROW_GROUP_PERSISTENCE=true
  ariadne sql "FROM scan('/lake/*.parquet') WHERE id = 7"
  ariadne rowgroups list
  ariadne rowgroups drop --stale)help");
}

RowGroupsArguments FinishRowGroups(const CLI::App& app, const RowGroupsArguments& given) {
  RowGroupsArguments command = given;
  using Action = RowGroupsArguments::Action;
  const auto* sub = app.get_subcommand("rowgroups");
  const std::string action = sub->get_subcommands().front()->get_name();
  command.action = action == "show"   ? Action::kShow
                   : action == "dump" ? Action::kDump
                   : action == "drop" ? Action::kDrop
                                      : Action::kList;
  const int chosen = int{!command.file.empty()} + int{command.stale} + int{command.all};
  if (command.action == Action::kDrop && chosen != 1) {
    throw InvalidArgument("rowgroups drop needs one of FILE, --stale and --all");
  }
  return command;
}

}  // namespace ariadne::cli
