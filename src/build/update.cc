#include "build/update.h"

#include <utility>
#include <vector>

#include "ariadne/errors.h"
#include "build/batches.h"
#include "build/staging.h"
#include "build/update_run.h"

namespace ariadne::build {

// The way of an update, and where it may die:
//
//   lock → finish what an earlier run left in staging → plan → visit files in parallel → stage each
//   batch (large pairs, one commit a column; data file, lookups, zones, then one commit) → every so
//   many batches and at the end merge staging into the main index (one commit) and remove it →
//   filters for files that lack them, the same way → large rows that nothing points to removed →
//   total size and filtered columns into the metadata
//
// Each commit is on disk before what it replaces goes. Before a batch's commit its files are simply
// not indexed, after it they are in staging, which the next update merges before it plans. The
// total is summed from the main index each time, so no crash can make it wrong for longer than
// until the next update.

UpdateReport Update(const UpdateTarget& target, const UpdateOptions& options) {
  UpdateRun run(target, options);
  BuildResult result;
  if (!run.plan().jobs.empty()) {
    ProgressTeller& progress = run.progress();
    progress.Enter("build");
    Workspace& workspace = run.workspace();
    BatchWriter writer(
        &workspace, run.main(),
        run.main() == nullptr ? std::vector<storage::DataFile>() : run.main()->files(),
        run.lock().correlation_id());
    result = BuildBatches(
        run.plan().jobs, workspace.plans, run.format(), BuildSettingsOf(workspace, options.stop),
        [&](Batch batch) {
          const bool only_one = batch.last && run.staged() == 0;
          run.Commit({writer.Write(std::move(batch), only_one)});
          if (run.ConsolidationIsDue()) run.Consolidate();
        },
        [&](int64_t files, int64_t bytes) {
          progress.state.files_done = files;
          progress.state.bytes_done = bytes;
          progress.Tell();
          run.lock().Tick();
        });
    if (result.stopped) {
      throw Cancelled("the update of index '" + target.layout.name() +
                      "' was stopped; what it had done so far is kept, and the next update goes "
                      "on from there");
    }
  }
  return run.Finish(std::move(result));
}

}  // namespace ariadne::build
