#pragma once

#include <iosfwd>
#include <stop_token>

#include "ariadne/errors.h"
#include "ariadne/lake.h"
#include "cli/arguments.h"

namespace ariadne::cli {

/// Where a command writes, and what is at the other end.
struct Streams {
  std::ostream& out;  ///< Answers.
  std::ostream& err;  ///< Progress, warnings, errors.
  int out_width = 0;  ///< Characters a line of a terminal on `out`; 0: no terminal.
  bool err_is_terminal = false;
};

/// What every command is given.
struct Context {
  const GlobalArguments& global;
  Streams& streams;
  std::stop_token stop;

  /// Throws InvalidArgument without a root.
  [[nodiscard]] const std::string& Root() const;
  [[nodiscard]] Lake OpenLake() const;
  /// Says on standard error that there is no index, and where the root itself is not there, that.
  void SayNoIndex() const;
};

// One a command; each in cmd_{command}.cc.
ExitCode Run(const CreateArguments& arguments, const Context& context);
ExitCode Run(const DeclareArguments& arguments, const Context& context);
ExitCode Run(const AddArguments& arguments, const Context& context);
ExitCode Run(const UpdateArguments& arguments, const Context& context);
ExitCode Run(const LocateArguments& arguments, const Context& context);
ExitCode Run(const JoinArguments& arguments, const Context& context);
ExitCode Run(const ListArguments& arguments, const Context& context);
ExitCode Run(const DescribeArguments& arguments, const Context& context);
ExitCode Run(const FilesArguments& arguments, const Context& context);
ExitCode Run(const RemoveArguments& arguments, const Context& context);
ExitCode Run(const DemoArguments& arguments, const Context& context);
ExitCode Run(const DeleteArguments& arguments, const Context& context);
ExitCode Run(const CompactArguments& arguments, const Context& context);
ExitCode Run(const VacuumArguments& arguments, const Context& context);
ExitCode Run(const StatsArguments& arguments, const Context& context);
ExitCode Run(const SyncArguments& arguments, const Context& context);
ExitCode Run(const FindArguments& arguments, const Context& context);
ExitCode Run(const ConfigArguments& arguments, const Context& context);
ExitCode Run(const SqlArguments& arguments, const Context& context);
ExitCode Run(const ExplainArguments& arguments, const Context& context);
ExitCode Run(const RowGroupsArguments& arguments, const Context& context);

/// The whole command line: parses, runs, and turns every error into its message and exit code.
/// Throws nothing.
int RunCommandLine(const std::vector<std::string>& words, Streams& streams,
                   const std::stop_token& stop) noexcept;

}  // namespace ariadne::cli
