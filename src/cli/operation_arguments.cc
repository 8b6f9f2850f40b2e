#include "cli/operation_arguments.h"

#include "cli/option_words.h"

namespace ariadne::cli {

namespace {

CLI::App* AddCommand(CLI::App& app, const char* command, const char* help, std::string& name) {
  auto* sub = app.add_subcommand(command, help);
  AddName(*sub, name);
  return sub;
}

}  // namespace

void AddOperations(CLI::App& app, OperationArguments& arguments) {
  auto* remove = AddCommand(app, "delete", "Take files out of an index; the data files stay",
                            arguments.remove_files.name);
  AddWords(*remove, "FILE", arguments.remove_files.files, "Files, in any spelling of their names");
  remove->footer(R"(A file that the index does not know is said and otherwise ignored.

Examples:
  ariadne delete flights demo/lake/2013-01-05.parquet
  ariadne delete events file:///lake/a%20b.parquet s3://lake/old.parquet)");

  AddCommand(app, "compact", "Pack the index's small data files into few", arguments.compact.name)
      ->footer(
          R"(Answers stay the same; queries then open fewer files. What was replaced stays on the disk for
those who read it, until a vacuum. With --auto-compact-threshold N an update does this by itself.

Examples:
  ariadne compact flights)");

  auto* vacuum = AddCommand(app, "vacuum", "Remove files of the index that nothing needs any more",
                            arguments.vacuum.name);
  AddOption(*vacuum, "--retention-hours", arguments.vacuum.retention_hours, "H",
            "Keep what a reader of the last H hours may still need (default 168)");
  vacuum->add_flag("--force", arguments.vacuum.force,
                   "Allow less than 168 hours: only where nothing else uses the index");
  vacuum->add_flag("--dry-run", arguments.vacuum.dry_run, "Only say what would go");
  vacuum->footer(R"(Never touches the lake's own files.

Examples:
  ariadne vacuum flights --dry-run
  ariadne vacuum flights --retention-hours 0 --force)");

  AddCommand(app, "stats", "Show what an index holds in each column", arguments.stats.name)
      ->footer(R"(Distinct values a file, fill of bloom filters, widths of ranges.

Examples:
  ariadne stats flights
  ariadne stats flights --json)");

  auto* sync = AddCommand(app, "sync", "Make an index follow its lake", arguments.sync.name);
  AddWord(
      *sync, "DIR", arguments.sync.lake,
      "The lake: its new files are added, those gone from it dropped; without it only the tracked "
      "files are looked at");
  sync->add_flag("--dry-run", arguments.sync.dry_run, "Only say what would be done");
  sync->footer(R"(A file with another size, time or ETag than when it was indexed is indexed again.

Examples:
  ariadne sync flights demo/lake --dry-run
  ariadne sync flights demo/lake)");

  auto* find = app.add_subcommand("find", "List the indexes that track a file");
  AddWord(*find, "FILE", arguments.find.file, "A file, in any spelling of its name")->required();
  find->footer(
      "Without one the answer is empty, and the exit code 0.\n\nExamples:\n  ariadne find "
      "demo/lake/2013-01-05.parquet");

  app.add_subcommand("config", "Show every setting, its value and where it came from")
      ->footer(
          R"(A flag wins over the environment (ARIADNE_LARGE_INDEX_LIMIT), that over the file (--config,
$ARIADNE_CONFIG, ariadne.properties here, ~/.config/ariadne/ariadne.properties), whose lines
are `ariadne.largeIndexLimit = 500000`.

Examples:
  ariadne config
  ariadne config --json)");
}

}  // namespace ariadne::cli
