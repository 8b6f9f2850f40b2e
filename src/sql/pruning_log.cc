#include "sql/pruning_log.h"

#include <algorithm>
#include <utility>

namespace ariadne::sql {

namespace {
constexpr size_t kMostReports = 1000;
}

std::string Ratio(int64_t part, int64_t whole) {
  return std::to_string(part) + "/" + std::to_string(whole);
}

ScanReport LeftOut(ScanReport report) {
  report.left_out = true;
  report.planned_files = report.files = 0;
  report.steps.clear();
  return report;
}

std::vector<std::string> Words(const ScanReport& report) {
  if (report.left_out) {
    return {"no file is opened: the engine has proved that the query needs no row of them"};
  }
  std::vector<std::string> lines;
  for (const ScanReport::Step& step : report.steps) {
    std::string line = step.condition + ": ";
    if (!step.reason.empty()) {
      line += "did not prune, " + step.reason;
    } else if (step.files_after == step.files_before) {
      line += step.index + " removed none of " + std::to_string(step.files_before) +
              " files: every one of them can match";
    } else {
      line += (step.index.empty() ? "no row can match, which" : step.index) + " removed " +
              std::to_string(step.files_before - step.files_after) + " of " +
              std::to_string(step.files_before) + " files";
    }
    lines.push_back(std::move(line));
  }
  if (report.unindexed_files > 0) {
    lines.push_back(std::to_string(report.unindexed_files) +
                    " tracked files are not indexed yet and are always read: update the index");
  }
  return lines;
}

int64_t PruningLog::NextPlan() {
  const std::lock_guard lock(mutex_);
  return ++plans_;
}

void PruningLog::Add(ScanReport report) {
  const std::lock_guard lock(mutex_);
  const auto of_plan = [&](const ScanReport& other) { return other.plan == report.plan; };
  std::erase_if(reports_, [&](const ScanReport& other) {
    return of_plan(other) && (!other.read || other.read == report.read);
  });
  if (!report.read && std::any_of(reports_.begin(), reports_.end(), of_plan)) return;
  reports_.push_back(std::move(report));
  if (reports_.size() > kMostReports) reports_.pop_front();
}

std::vector<ScanReport> PruningLog::Reports() const {
  const std::lock_guard lock(mutex_);
  std::vector<ScanReport> reports(reports_.begin(), reports_.end());
  for (ScanReport& report : reports) {
    if (!report.of_table && report.read) report.files = report.read->files_opened;
  }
  return reports;
}

void PruningLog::Clear() {
  const std::lock_guard lock(mutex_);
  reports_.clear();
}

}  // namespace ariadne::sql
