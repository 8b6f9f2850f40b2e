#include <fstream>
#include <iostream>
#include <iterator>

#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/output.h"
#include "source/spark_schema.h"

namespace ariadne::cli {
namespace {

std::shared_ptr<arrow::Schema> ReadSchema(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw FileNotFound("the schema file cannot be read: " + path);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  try {
    return source::FromSparkJson(text);
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
                             .allow_schema_mismatch = arguments.allow_schema_mismatch};
  definition.schema =
      arguments.schema_from.empty()
          ? ReadSchema(arguments.schema_file)
          : lake.InferSchema(arguments.schema_from, arguments.format, arguments.read_options);
  const bool existed = lake.Exists(arguments.name);
  Index index = lake.Create(arguments.name, definition);
  try {
    for (const IndexedColumn& column : arguments.columns) index.AddIndex(column);
  } catch (...) {
    // A command that failed leaves no index behind that lacks what was asked for.
    if (!existed) lake.Remove(arguments.name);
    throw;
  }
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
