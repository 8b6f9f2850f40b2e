#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/output.h"
#include "cli/values.h"
#include "source/spark_schema.h"

namespace ariadne::cli {
namespace {

std::shared_ptr<arrow::Schema> ReadSchema(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    throw InvalidArgument("--schema takes a file with a schema, and '" + path +
                          "' is a folder: did you mean --schema-from, which takes data?");
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) throw FileNotFound("the schema file cannot be read: " + path);
  std::ostringstream text;
  text << file.rdbuf();
  try {
    return source::FromSparkJson(text.str());
  } catch (const UnsupportedColumn& error) {
    throw UnsupportedColumn(path + ": " + error.what());
  } catch (const Error& error) {
    throw SchemaMismatch(path + ": " + error.what());
  }
}

}  // namespace

ExitCode Run(const CreateArguments& arguments, const Context& context) {
  Lake lake = context.OpenLake();
  IndexDefinition definition{.format = arguments.format,
                             .schema = nullptr,
                             .read_options = arguments.read_options,
                             .columns = arguments.columns,
                             .allow_schema_mismatch = arguments.allow_schema_mismatch};
  definition.schema =
      arguments.schema_from.empty()
          ? ReadSchema(arguments.schema_file)
          : lake.InferSchema(arguments.schema_from, arguments.format, arguments.read_options);
  CheckRates(definition.columns, *definition.schema);
  SplitBehindColumns(&definition.columns, *definition.schema);
  const bool existed = lake.Exists(arguments.name);
  const Index index = lake.Create(arguments.name, definition);
  const auto columns = index.columns();
  if (context.global.json) {
    PrintJson(context.streams.out, {{"name", index.name()},
                                    {"created", !existed},
                                    {"format", index.format()},
                                    {"read_options", ReadOptionsJson(index.read_options())},
                                    {"columns", SchemaJson(*index.schema())},
                                    {"indexes", IndexesJson(columns)}});
    return ExitCode::kDone;
  }
  context.streams.out << (existed ? "opened " : "created ") << index.name() << "\n";
  for (const IndexedColumn& column : columns) {
    context.streams.out << "  " << ToString(column.kind) << " " << column.column << "\n";
  }
  return ExitCode::kDone;
}

}  // namespace ariadne::cli
