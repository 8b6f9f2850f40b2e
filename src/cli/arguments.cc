#include "cli/arguments.h"

#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <string_view>

#include "ariadne/errors.h"
#include "cli/option_words.h"
#include "cli/row_group_settings.h"
#include "cli/values.h"
#include "cli/version.h"

namespace ariadne::cli {
namespace {

constexpr char kFooter[] = R"(Options of the first block may stand before or after the command.
'ariadne COMMAND --help' shows a command's options and examples.

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 not found, 4 locked,
            5 done but some files failed, 130 interrupted.)";

// What CLI11 fills; turned into Arguments once all is read, so that errors are ours.
struct Raw {
  GlobalArguments global;
  SettingFlags settings;
  std::vector<std::string> path_map;
  std::vector<std::string> storage;

  CreateArguments create;
  std::vector<std::string> read_options;
  std::vector<std::string> regular;
  std::vector<std::string> bloom;
  std::vector<std::string> range;
  std::vector<std::string> computed;
  std::vector<std::string> temporal;
  std::vector<std::string> exploded;
  DeclareArguments declare;
  AddArguments add;
  UpdateArguments update;
  LocateArguments locate;
  std::vector<std::string> where;
  std::string where_json;
  std::vector<std::string> on;
  JoinArguments join;
  std::string how = "inner";
  std::vector<std::string> select;
  DescribeArguments describe;
  FilesArguments files;
  RemoveArguments remove;
  DemoArguments demo;
  ListArguments list;
  OperationArguments operations;
  RawSqlArguments sql;
  RowGroupsArguments row_groups;
  RowGroupFlags row_group_flags;  ///< Of sql and explain.
  std::string config_file;
};

void AddGlobalOptions(CLI::App& app, Raw& raw) {
  for (const Setting& setting : Settings()) {
    if (setting.flag.empty()) continue;
    auto& value = raw.settings[setting.name];
    auto* option = setting.type.empty()
                       ? app.add_flag(setting.flag + "{true}", value, setting.help)
                       : AddOption(app, setting.flag, value, setting.type.c_str(), setting.help);
    if (!setting.is_common) option->group("Settings");
  }
  app.add_flag("--json", raw.global.json, "Print one JSON object, and nothing else, on stdout");
  AddRepeated(app, "--path-map", raw.path_map, "FROM=TO",
              "Read names that begin with FROM at TO; stored names stay");
  AddRepeated(app, "--storage", raw.storage, "KEY=VALUE",
              "Setting of the object store, e.g. aws_region=eu-central-1");
  AddOption(app, "--config", raw.config_file, "FILE",
            "File of settings, lines 'ariadne.lockTimeout = 60'; default: $ARIADNE_CONFIG, "
            "ariadne.properties here, ~/.config/ariadne/ariadne.properties");
}

/// What stands between the fields of a CSV file of keys; a shell has no easy tab, so "\t" is one.
std::string DelimiterOf(const std::string& text) { return text == "\\t" ? "\t" : text; }

void AddDelimiter(CLI::App& sub, std::string& delimiter) {
  AddOption(
      sub, "--delimiter", delimiter, "TEXT",
      "What stands between the fields of a CSV file of keys; default: a comma, in .tsv a tab");
}

// The kinds of index, as `create` and `declare` take them.
void AddIndexOptions(CLI::App& sub, Raw& raw) {
  AddRepeated(sub, "--regular", raw.regular, "COL", "Keep the column's distinct values a file");
  AddRepeated(
      sub, "--bloom", raw.bloom, "COL[:FPR]",
      "Keep a bloom filter a file, for columns with many values; FPR: false positives, 0.01");
  AddRepeated(sub, "--range", raw.range, "COL",
              "Keep the column's smallest and largest value a file");
  AddRepeated(sub, "--computed", raw.computed, "NAME=EXPR",
              "Keep the distinct values of a Spark SQL expression, under this name");
  AddRepeated(
      sub, "--temporal", raw.temporal, "COL:TIMESTAMP",
      "Keep each value's newest timestamp: of a key's rows only the newest counts; TIMESTAMP "
      "may be a path into structs, and of any type with an order (texts go by their bytes)");
  AddRepeated(sub, "--exploded", raw.exploded, "ARRAY[.FIELD]...:NAME",
              "Keep the distinct values of the array's elements, or of a field of them, under this "
              "name");
}

void AddCreate(CLI::App& app, Raw& raw) {
  auto* sub = app.add_subcommand("create", "Create an index, or add index columns to one");
  AddName(*sub, raw.create.name);
  AddOption(*sub, "--format", raw.create.format, "parquet|csv|json",
            "Format of the data files; default: parquet");
  AddRepeated(*sub, "--option", raw.read_options, "KEY=VALUE",
              "How CSV or JSON files are read, as Spark names it: header, sep, quote, escape, "
              "nullValue, dateFormat, timestampFormat, encoding, multiLine, mode, ...");
  AddOption(*sub, "--schema", raw.create.schema_file, "FILE.json",
            "Schema of the data as Spark's StructType JSON");
  AddOption(*sub, "--schema-from", raw.create.schema_from, "PATH",
            "Take the schema of this file, or of the first one in this folder or glob; of "
            "CSV and JSON of all of them, as Spark infers it (--option inferSchema=true)");
  sub->add_flag("--allow-schema-mismatch", raw.create.allow_schema_mismatch,
                "Where the index exists with another schema, take this one; indexed columns must "
                "be in it as they were");
  AddIndexOptions(*sub, raw);
  sub->footer(R"(The same command again changes nothing; with further columns it adds them.

Examples:
  ariadne create flights --schema-from demo/lake --regular tailnum --range time_hour
  ariadne create events --schema events.json --bloom user_id:0.001 --bloom session_id
  ariadne create users --schema-from users/ --temporal user_id:meta.updated_at
  ariadne create visits --format csv --option header=true --option 'sep=;' \
      --schema-from visits/ --regular page --range at
  ariadne create orders --schema-from orders/ --exploded items.sku:sku \
      --computed 'month=date_format(ts, "yyyy-MM")')");
}

void AddDeclare(CLI::App& app, Raw& raw) {
  auto* sub = app.add_subcommand("declare", "Add index columns to an index");
  AddName(*sub, raw.declare.name);
  AddIndexOptions(*sub, raw);
  sub->footer(R"(The next update builds them, also for the files that are indexed already.

Examples:
  ariadne declare flights --regular origin --range dep_delay
  ariadne declare orders --exploded tags:tag)");
}

void AddAdd(CLI::App& app, Raw& raw) {
  auto* sub = app.add_subcommand("add", "Track data files");
  AddName(*sub, raw.add.name);
  AddWords(*sub, "PATH", raw.add.paths, "Files, folders or globs; expanded now");
  sub->footer(R"(A folder stands for every data file below it. Files tracked already are left alone.
Quote a glob, so that the shell leaves it to ariadne. If one path names nothing, none is added.

Examples:
  ariadne add flights demo/lake
  ariadne add flights 'demo/lake/2013-1?-*.parquet'
  ariadne add events s3://lake/events/2014/)");
}

void AddUpdate(CLI::App& app, Raw& raw) {
  auto* sub = app.add_subcommand("update", "Index what is tracked and not indexed yet");
  AddName(*sub, raw.update.name);
  sub->footer(
      R"(A file that cannot be read is reported and stays un-indexed: the others are done, the exit
code is 5. Ctrl-C loses nothing: the next update goes on from what was staged.

Examples:
  ariadne update flights
  ariadne update flights --memory 2GiB --threads 8 --json)");
}

void AddLocate(CLI::App& app, Raw& raw) {
  auto* sub = app.add_subcommand("locate", "List the files that can hold some values");
  AddName(*sub, raw.locate.name);
  AddRepeated(*sub, "--where", raw.where, "COL=V[,V]...",
              "Values of a column; several columns must all match");
  AddOption(*sub, "--where-json", raw.where_json, "'{\"COL\": [V, ...]}'",
            "The same as JSON; null is NULL");
  AddOption(*sub, "--keys", raw.locate.keys_file, "FILE",
            "Take the values from a Parquet, CSV or JSON file");
  AddRepeated(*sub, "--on", raw.on, "A,B", "Columns of that file; may be repeated");
  AddDelimiter(*sub, raw.locate.delimiter);
  sub->add_flag("--steps", raw.locate.steps, "Say on stderr which index left how many files");
  sub->footer(R"(Prints the URIs of the files, one a line, and what was pruned on stderr.
Values are text and take the column's type. An item in double quotes may hold commas and equal
signs; "" in it is one quote; so may a name of --on. NULL matches nothing.

Examples:
  ariadne locate flights --where tailnum=N37252,N11551 --where time_hour=2013-07-05T19:00:00Z
  ariadne locate places --where 'city="Paris, TX",Rome'
  ariadne locate flights --where-json '{"tailnum": ["N37252", null], "flight_id": "UA1545-20130101-EWR"}'
  ariadne locate flights --keys planes.csv --on tailnum)");
}

void AddJoin(CLI::App& app, Raw& raw) {
  auto* sub = app.add_subcommand("join", "Join a table of keys with the rows of the lake");
  AddName(*sub, raw.join.name);
  AddWord(*sub, "KEYS_FILE", raw.join.keys_file, "Parquet, CSV or JSON file with the keys")
      ->required();
  AddRepeated(*sub, "--on", raw.on, "A,B",
              "Columns of both sides that must be equal; may be repeated")
      ->required();
  AddDelimiter(*sub, raw.join.delimiter);
  AddOption(*sub, "--how", raw.how, "TYPE",
            "inner (default), left_semi, right; with --keys-left: inner, left, left_semi, "
            "left_anti");
  sub->add_flag("--keys-left", raw.join.options.keys_left,
                "The keys are the left side; otherwise the lake is");
  AddRepeated(
      *sub, "--select", raw.select, "A,B",
      "Columns of the lake to return beside the join columns, in this order; may be repeated; "
      "default: all");
  AddOption(*sub, "-o,--output", raw.join.output, "FILE",
            "Write the rows to .parquet, .csv or .json");
  AddOption(*sub, "--rows", raw.join.max_rows, "N", "Rows to show without -o (default 20; 0: all)");
  sub->footer(R"(Only files that can hold a key are read. NULL matches nothing.
In a CSV file of keys the first line has the names, commas (in .tsv tabs) stand between the
fields, or what --delimiter says. An empty field is NULL; "" is the empty text in a column of
text, and NULL in any other.
A name with a comma is written in double quotes, "" being one quote in it.

Examples:
  ariadne join flights planes.csv --on tailnum
  ariadne join flights planes.csv --on tailnum --select dest,dep_delay -o found.parquet
  ariadne join people keys.csv --on '"last, first"' --on born --select '"street, no",city'
  ariadne join flights planes.csv --on tailnum --keys-left --how left_anti)");
}

void AddCatalog(CLI::App& app, Raw& raw) {
  auto* list = app.add_subcommand("list", "List the indexes");
  list->add_flag("--leftovers", raw.list.leftovers,
                 "List instead what is left of indexes without metadata; remove clears it away");
  list->footer("Examples:\n  ariadne list\n  ariadne --root s3://lake/index list --json");

  auto* describe =
      app.add_subcommand("describe", "Show an index: columns, indexes, files; or all in a table");
  AddWord(*describe, "NAME", raw.describe.name, "Name of the index; default: all");
  describe->footer("Examples:\n  ariadne describe flights\n  ariadne describe --json");

  auto* files = app.add_subcommand("files", "List the tracked files");
  AddName(*files, raw.files.name);
  files->add_flag("--unindexed-only", raw.files.unindexed_only, "Only those not indexed yet");
  files->footer("Examples:\n  ariadne files flights\n  ariadne files flights --unindexed-only");

  auto* remove = app.add_subcommand("remove", "Remove an index; data files are never touched");
  AddName(*remove, raw.remove.name);
  remove->add_flag("--yes", raw.remove.yes, "Really do it");
  remove->footer("Examples:\n  ariadne remove flights --yes");
}

void AddDemo(CLI::App& app, Raw& raw) {
  auto* sub = app.add_subcommand("demo", "Run the main job on a folder of flights");
  AddWord(*sub, "FOLDER", raw.demo.folder,
          "Folder that scripts/demo_data.py filled (default demo/lake)");
  sub->footer(
      R"(Creates an index beside the folder (or under --root), or goes on from the one there.

Examples:
  make demo
  ariadne demo demo/lake)");
}

template <typename T>
T Choose(const char* flag, const std::string& text, const std::map<std::string, T>& choices) {
  if (const auto found = choices.find(text); found != choices.end()) return found->second;
  std::string names;
  for (const auto& [name, value] : choices) names += (names.empty() ? "" : ", ") + name;
  throw InvalidArgument(std::string(flag) + " '" + text + "' is none of: " + names);
}

void FinishGlobal(const Raw& raw, Surroundings surroundings, GlobalArguments& global) {
  TakeFlags(raw.settings, surroundings);
  global.root = std::move(surroundings.root);
  global.options = std::move(surroundings.options);
  global.debug = surroundings.debug;
  global.settings = std::move(surroundings.values);
  global.warnings = std::move(surroundings.warnings);
  for (const auto& text : raw.path_map) global.options.path_map.push_back(ParsePathMapping(text));
  for (const auto& text : raw.storage) {
    global.options.storage.insert(ParseKeyValue("--storage", text));
  }
}

std::vector<IndexedColumn> FinishColumns(const Raw& raw) {
  std::vector<IndexedColumn> columns;
  for (const auto& column : raw.regular) {
    columns.push_back({.kind = IndexedColumn::Kind::kRegular, .column = column});
  }
  for (const auto& text : raw.bloom) columns.push_back(ParseBloom(text));
  for (const auto& column : raw.range) {
    columns.push_back({.kind = IndexedColumn::Kind::kRange, .column = column});
  }
  for (const auto& text : raw.computed) columns.push_back(ParseComputed(text));
  for (const auto& text : raw.temporal) columns.push_back(ParseTemporal(text));
  for (const auto& text : raw.exploded) columns.push_back(ParseExploded(text));
  return columns;
}

DeclareArguments FinishDeclare(Raw& raw) {
  raw.declare.columns = FinishColumns(raw);
  if (raw.declare.columns.empty()) {
    throw InvalidArgument("declare needs a column at least, such as --regular COL");
  }
  return raw.declare;
}

CreateArguments FinishCreate(Raw& raw) {
  CreateArguments& create = raw.create;
  if (create.format != "parquet" && create.format != "csv" && create.format != "json") {
    throw InvalidArgument("--format '" + create.format + "' is none of: parquet, csv, json");
  }
  for (const std::string& text : raw.read_options) {
    create.read_options.push_back(ParseKeyValue("--option", text));
  }
  if (create.schema_file.empty() == create.schema_from.empty()) {
    throw InvalidArgument("create needs --schema FILE.json or --schema-from PATH, one of them");
  }
  create.columns = FinishColumns(raw);
  return create;
}

LocateArguments FinishLocate(Raw& raw) {
  LocateArguments& locate = raw.locate;
  const int ways = (raw.where.empty() ? 0 : 1) + (raw.where_json.empty() ? 0 : 1) +
                   (locate.keys_file.empty() ? 0 : 1);
  if (ways != 1) {
    throw InvalidArgument("locate needs --where, --where-json or --keys, one of them");
  }
  if (locate.keys_file.empty() != raw.on.empty()) {
    throw InvalidArgument("--keys FILE and --on A,B go together");
  }
  if (!raw.where.empty()) locate.probes = ParseWheres(raw.where);
  if (!raw.where_json.empty()) locate.probes = ParseWhereJson(raw.where_json);
  locate.on = SplitLists(raw.on);
  locate.delimiter = DelimiterOf(locate.delimiter);
  return locate;
}

JoinArguments FinishJoin(Raw& raw) {
  JoinArguments& join = raw.join;
  join.options.on = SplitLists(raw.on);
  join.delimiter = DelimiterOf(join.delimiter);
  join.options.select = SplitLists(raw.select);
  join.options.how = Choose<JoinType>("--how", raw.how,
                                      {{"inner", JoinType::kInner},
                                       {"left", JoinType::kLeft},
                                       {"right", JoinType::kRight},
                                       {"left_semi", JoinType::kLeftSemi},
                                       {"left_anti", JoinType::kLeftAnti}});
  if (join.max_rows < 0) throw InvalidArgument("--rows must be at least 0");
  return join;
}

/// The file of --config, which has to be read before the other words are.
std::string ConfigFileOf(const std::vector<std::string>& words) {
  constexpr std::string_view kFlag = "--config";
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words[i];
    if (word == "--") break;
    if (word == kFlag && i + 1 < words.size()) return words[i + 1];
    if (word.starts_with("--config=")) return std::string(word.substr(kFlag.size() + 1));
  }
  return "";
}

}  // namespace

std::variant<Arguments, RequestedText> ParseArguments(const std::vector<std::string>& words) {
  Raw raw;
  // Flags are read over what file and environment say.
  Surroundings surroundings =
      ReadSurroundings(ConfigFileOf(words), [](const char* name) { return std::getenv(name); });
  CLI::App app("Which files of my lake can hold these values? And read only those.", "ariadne");
  app.fallthrough();          // Inherited: a global option may follow the command.
  app.require_subcommand(1);  // One at most, so that an index may be named "list".
  app.footer(kFooter);
  app.get_formatter()->label("SUBCOMMAND", "COMMAND");
  app.set_version_flag("--version", "ariadne " + std::string(kVersion));
  AddGlobalOptions(app, raw);
  using Finish = std::function<CommandArguments()>;
  const std::map<std::string, Finish> finish = {
      {"create", [&] { return CommandArguments(FinishCreate(raw)); }},
      {"declare", [&] { return CommandArguments(FinishDeclare(raw)); }},
      {"add", [&] { return CommandArguments(raw.add); }},
      {"update", [&] { return CommandArguments(raw.update); }},
      {"locate", [&] { return CommandArguments(FinishLocate(raw)); }},
      {"join", [&] { return CommandArguments(FinishJoin(raw)); }},
      {"list", [&] { return CommandArguments(raw.list); }},
      {"describe", [&] { return CommandArguments(raw.describe); }},
      {"files", [&] { return CommandArguments(raw.files); }},
      {"remove", [&] { return CommandArguments(raw.remove); }},
      {"demo", [&] { return CommandArguments(raw.demo); }},
      {"delete", [&] { return CommandArguments(raw.operations.remove_files); }},
      {"compact", [&] { return CommandArguments(raw.operations.compact); }},
      {"vacuum", [&] { return CommandArguments(raw.operations.vacuum); }},
      {"stats", [&] { return CommandArguments(raw.operations.stats); }},
      {"sync", [&] { return CommandArguments(raw.operations.sync); }},
      {"find", [&] { return CommandArguments(raw.operations.find); }},
      {"config", [&] { return CommandArguments(ConfigArguments{}); }},
      {"sql", [&] { return CommandArguments(FinishSql(raw.sql.sql)); }},
      {"explain", [&] { return CommandArguments(raw.sql.explain); }},
      {"rowgroups", [&] { return CommandArguments(FinishRowGroups(app, raw.row_groups)); }},
  };
  AddCreate(app, raw);
  AddDeclare(app, raw);
  AddAdd(app, raw);
  AddUpdate(app, raw);
  AddLocate(app, raw);
  AddJoin(app, raw);
  AddCatalog(app, raw);
  AddOperations(app, raw.operations);
  AddSql(app, raw.sql);
  for (const char* name : {"sql", "explain"}) {
    AddRowGroupFlags(*app.get_subcommand(name), raw.row_group_flags);
  }
  AddRowGroups(app, raw.row_groups);
  AddDemo(app, raw);
  for (CLI::App* command : app.get_subcommands([](CLI::App*) { return true; })) {
    command->group("Commands");
  }

  std::string command;
  try {
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));  // It pops from the back.
    command = app.get_subcommands().front()->get_name();
  } catch (const CLI::CallForHelp&) {
    const auto chosen = app.get_subcommands();
    return RequestedText{chosen.empty() ? HelpText(app, "") : HelpText(*chosen.front(), "ariadne")};
  } catch (const CLI::CallForVersion& version) {
    return RequestedText{std::string(version.what()) + "\n"};
  } catch (const CLI::Error& error) {
    throw InvalidArgument(UsageMessage(app, error));
  }
  try {
    FinishGlobal(raw, std::move(surroundings), raw.global);
    TakeRowGroupFlags(raw.row_group_flags, raw.global.settings);
    CommandArguments arguments = finish.at(command)();
    return Arguments{std::move(raw.global), std::move(arguments)};
  } catch (const InvalidArgument& error) {
    throw InvalidArgument(std::string(error.what()) + "\n  see: ariadne " + command + " --help");
  }
}

}  // namespace ariadne::cli
