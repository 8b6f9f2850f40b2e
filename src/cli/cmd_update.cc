#include <iostream>

#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/output.h"
#include "cli/phase_log.h"
#include "cli/progress.h"

namespace ariadne::cli {
namespace {

Json ReportJson(const UpdateReport& report) {
  Json failed = Json::array();
  for (const FailedFile& file : report.files_failed) {
    failed.push_back({{"file", file.uri}, {"error", file.error}});
  }
  return {{"files_indexed", report.files_indexed},
          {"files_failed", std::move(failed)},
          {"batches", report.batches},
          {"files_backfilled", report.files_backfilled},
          {"bytes_indexed", report.bytes_indexed},
          {"bytes_read", report.bytes_read},
          {"bytes_written", report.bytes_written},
          {"elapsed_ms", report.elapsed_ms}};
}

void PrintReport(const UpdateReport& report, Streams& streams) {
  streams.out << "indexed " << Counted(report.files_indexed, "file") << " ("
              << FormatBytes(report.bytes_indexed) << ") in " << FormatDuration(report.elapsed_ms);
  if (report.files_backfilled > 0) {
    streams.out << ", added columns to " << report.files_backfilled << " indexed before";
  }
  streams.out << "\n";
  WarnOfFailed(streams.err, report.files_failed);
  if (!report.files_failed.empty()) {
    const auto failed = static_cast<int64_t>(report.files_failed.size());
    streams.err << "warning: " << Counted(failed, "file")
                << (failed == 1 ? " stays a candidate" : " stay candidates")
                << " of every query; mend " << (failed == 1 ? "it" : "them")
                << " and update again\n";
  }
}

}  // namespace

ExitCode Run(const UpdateArguments& arguments, const Context& context) {
  Index index = context.OpenLake().Open(arguments.name);
  UpdateReport report;
  {
    ProgressDisplay display(context.streams);
    PhaseLog phases;
    report = index.Update({.progress =
                               [&](const UpdateProgress& p) {
                                 phases.Enter(p.phase);
                                 display.Show(p);
                               },
                           .stop = context.stop});
  }
  if (context.global.json) {
    PrintJson(context.streams.out, ReportJson(report));
  } else {
    PrintReport(report, context.streams);
  }
  return report.files_failed.empty() ? ExitCode::kDone : ExitCode::kSomeFilesFailed;
}

}  // namespace ariadne::cli
