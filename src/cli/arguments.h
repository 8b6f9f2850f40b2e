#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "ariadne/index.h"
#include "ariadne/options.h"
#include "cli/operation_arguments.h"
#include "cli/rowgroups_arguments.h"
#include "cli/settings.h"
#include "cli/sql_arguments.h"

namespace ariadne::cli {

/// What stands before or after any command.
struct GlobalArguments {
  std::string root;  ///< --root, else ARIADNE_ROOT, else empty.
  Options options;
  bool json = false;
  bool debug = false;                  ///< Say on stderr what took how long.
  std::vector<SettingValue> settings;  ///< All of them, with their origins.
  std::vector<std::string> warnings;   ///< Of the configuration.
};

struct CreateArguments {
  std::string name;
  std::string format = "parquet";
  ReadOptions read_options;
  bool allow_schema_mismatch = false;
  std::string schema_file;  ///< Spark StructType JSON; exactly one of the two is set.
  std::string schema_from;  ///< Data to infer the schema from.
  std::vector<IndexedColumn> columns;
};
struct DeclareArguments {
  std::string name;
  std::vector<IndexedColumn> columns;
};
struct AddArguments {
  std::string name;
  std::vector<std::string> paths;
};
struct UpdateArguments {
  std::string name;
};
struct LocateArguments {
  std::string name;
  std::vector<Probe> probes;  ///< From --where or --where-json; empty with --keys.
  std::string keys_file;
  std::string delimiter;  ///< Of a CSV file of keys; empty: by its suffix.
  std::vector<std::string> on;
  bool steps = false;  ///< Say which index left how many files.
};
struct JoinArguments {
  std::string name;
  std::string keys_file;
  std::string delimiter;  ///< Of a CSV file of keys; empty: by its suffix.
  JoinOptions options;
  std::string output;     ///< Empty: a table on standard output.
  int64_t max_rows = 20;  ///< Rows of that table; 0: all.
};
struct ListArguments {
  bool leftovers = false;  ///< What is left of indexes without metadata instead.
};
struct DescribeArguments {
  std::string name;  ///< Empty: all.
};
struct FilesArguments {
  std::string name;
  bool unindexed_only = false;
};
struct RemoveArguments {
  std::string name;
  bool yes = false;
};
struct DemoArguments {
  std::string folder = "demo/lake";
};

using CommandArguments =
    std::variant<CreateArguments, DeclareArguments, AddArguments, UpdateArguments, LocateArguments,
                 JoinArguments, ListArguments, DescribeArguments, FilesArguments, RemoveArguments,
                 DemoArguments, DeleteArguments, CompactArguments, VacuumArguments, StatsArguments,
                 SyncArguments, FindArguments, ConfigArguments, SqlArguments, ExplainArguments,
                 RowGroupsArguments>;

struct Arguments {
  GlobalArguments global;
  CommandArguments command;
};

/// Text that the user asked for instead of a command: help or the version.
struct RequestedText {
  std::string text;
};

/// Reads a command line, without the program's name. Throws InvalidArgument saying what is wrong
/// and which help to read.
std::variant<Arguments, RequestedText> ParseArguments(const std::vector<std::string>& words);

}  // namespace ariadne::cli
