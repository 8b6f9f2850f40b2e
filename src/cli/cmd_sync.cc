#include <iostream>

#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/output.h"
#include "cli/phase_log.h"
#include "cli/progress.h"

namespace ariadne::cli {
namespace {

Json ReportJson(const SyncReport& report, bool dry_run) {
  Json failed = Json::array();
  for (const FailedFile& file : report.update.files_failed) {
    failed.push_back({{"file", file.uri}, {"error", file.error}});
  }
  return {{"dry_run", dry_run},
          {"looked_at", FormatInstant(report.looked_at_us)},
          {"added", report.added},
          {"vanished", report.vanished},
          {"changed", report.changed},
          {"unchanged", report.unchanged},
          {"files_indexed", report.update.files_indexed},
          {"files_failed", std::move(failed)}};
}

void PrintFiles(const char* sign, const std::vector<std::string>& files, std::ostream& out) {
  for (const std::string& file : files) out << sign << " " << file << "\n";
}

}  // namespace

ExitCode Run(const SyncArguments& arguments, const Context& context) {
  Index index = context.OpenLake().Open(arguments.name);
  SyncOptions options{.lake = arguments.lake, .dry_run = arguments.dry_run, .update = {}};
  SyncReport report;
  {
    ProgressDisplay display(context.streams);
    PhaseLog phases;
    options.update.progress = [&](const UpdateProgress& p) {
      phases.Enter(p.phase);
      display.Show(p);
    };
    options.update.stop = context.stop;
    report = index.Sync(options);
  }
  const auto& failed = report.update.files_failed;
  if (context.global.json) {
    PrintJson(context.streams.out, ReportJson(report, arguments.dry_run));
    return failed.empty() ? ExitCode::kDone : ExitCode::kSomeFilesFailed;
  }
  auto& out = context.streams.out;
  if (arguments.dry_run) {
    PrintFiles("+", report.added, out);
    PrintFiles("-", report.vanished, out);
    PrintFiles("~", report.changed, out);
  }
  out << (arguments.dry_run ? "would sync " : "synced ") << arguments.name
      << " with the lake as of " << FormatInstant(report.looked_at_us) << ": "
      << report.added.size() << " new, " << report.vanished.size() << " gone, "
      << report.changed.size() << " changed, " << report.unchanged << " unchanged\n";
  WarnOfFailed(context.streams.err, failed);
  return failed.empty() ? ExitCode::kDone : ExitCode::kSomeFilesFailed;
}

}  // namespace ariadne::cli
