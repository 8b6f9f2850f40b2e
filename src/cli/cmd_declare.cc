#include <iostream>
#include <vector>

#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/output.h"
#include "cli/values.h"

namespace ariadne::cli {

ExitCode Run(const DeclareArguments& arguments, const Context& context) {
  Index index = context.OpenLake().Open(arguments.name);
  std::vector<IndexedColumn> declared = arguments.columns;
  CheckRates(declared, *index.schema());
  SplitBehindColumns(&declared, *index.schema());
  const size_t before = index.columns().size();
  for (const IndexedColumn& column : declared) index.AddIndex(column);
  const auto columns = index.columns();
  if (context.global.json) {
    PrintJson(context.streams.out, {{"name", index.name()},
                                    {"declared", columns.size() - before},
                                    {"indexes", IndexesJson(columns)}});
    return ExitCode::kDone;
  }
  context.streams.out << "declared " << columns.size() - before << " of " << declared.size()
                      << "\n";
  for (const IndexedColumn& column : columns) {
    context.streams.out << "  " << ToString(column.kind) << " " << column.column << "\n";
  }
  return ExitCode::kDone;
}

}  // namespace ariadne::cli
