#pragma once

#include <cstdint>
#include <string>

namespace ariadne::cli {

// What the commands that take SQL are asked with.

struct SqlArguments {
  std::string statements;
  std::string output;     ///< Empty: rows go to standard output as `format`.
  std::string format;     ///< "table", "csv" or "json".
  int64_t max_rows = 20;  ///< Rows of a table; 0: all.
  bool serve = false;     ///< Answer statements from standard input instead.
};
struct ExplainArguments {
  std::string statement;
  bool analyze = false;  ///< Run it, so that the keys of joins are known.
};

}  // namespace ariadne::cli

namespace CLI {
class App;
}

namespace ariadne::cli {

/// What the parser fills for the commands of this file.
struct RawSqlArguments {
  SqlArguments sql;
  ExplainArguments explain;
};

/// Declares the commands sql and explain.
void AddSql(CLI::App& app, RawSqlArguments& arguments);
/// Throws InvalidArgument for options that do not go together.
SqlArguments FinishSql(const SqlArguments& given);

}  // namespace ariadne::cli
