#include <iostream>

#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/output.h"
#include "cli/values.h"

namespace ariadne::cli {

ExitCode Run(const DeclareArguments& arguments, const Context& context) {
  Index index = context.OpenLake().Open(arguments.name);
  CheckRates(arguments.columns, *index.schema());
  const size_t before = index.columns().size();
  for (const IndexedColumn& column : arguments.columns) index.AddIndex(column);
  const auto columns = index.columns();
  if (context.global.json) {
    PrintJson(context.streams.out, {{"name", index.name()},
                                    {"declared", columns.size() - before},
                                    {"indexes", IndexesJson(columns)}});
    return ExitCode::kDone;
  }
  context.streams.out << "declared " << columns.size() - before << " of "
                      << arguments.columns.size() << "\n";
  for (const IndexedColumn& column : columns) {
    context.streams.out << "  " << ToString(column.kind) << " " << column.column << "\n";
  }
  return ExitCode::kDone;
}

}  // namespace ariadne::cli
