#include "cli/sql_arguments.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "ariadne/errors.h"

namespace ariadne::cli {

void AddSql(CLI::App& app, RawSqlArguments& arguments) {
  SqlArguments& sql = arguments.sql;
  auto* query = app.add_subcommand("sql", "Query the lake: every index is a table");
  query->add_option("STATEMENTS", sql.statements, "SQL; several statements run in turn")
      ->type_name("");
  query->add_option("-o,--output", sql.output, "Write the rows to .parquet, .csv or .json")
      ->type_name("FILE");
  query
      ->add_option("--format", sql.format,
                   "How rows are printed: table (default), csv, json; of --serve: text writes NULL "
                   "as a text too")
      ->type_name("FORMAT");
  query->add_option("--rows", sql.max_rows, "Rows of the table to show (default 20; 0: all)")
      ->type_name("N");
  query->add_flag("--serve", sql.serve,
                  "Answer each {\"sql\": ...} on stdin with {\"result\": rows} or {\"err\": text}");
  query->footer(
      R"help(The dialect is DuckDB's. The root is attached as the database "lake", read-only; the database
"memory" takes tables and views of your own. Only files that can hold a wanted row are read;
EXPLAIN ANALYZE says how many, and which index removed the others.

Examples:
  ariadne sql "SELECT carrier, count(*) FROM flights WHERE tailnum = 'N37252' GROUP BY ALL"
  ariadne sql "SELECT f.* FROM flights f JOIN 'planes.csv' p USING (tailnum)" -o found.parquet
  ariadne sql "EXPLAIN ANALYZE SELECT * FROM flights WHERE dep_delay > 500")help");

  auto* explain = app.add_subcommand("explain", "Say why a query reads the files that it reads");
  explain->add_option("STATEMENT", arguments.explain.statement, "A query")
      ->required()
      ->type_name("");
  explain->add_flag("--analyze", arguments.explain.analyze,
                    "Run the query, so that the keys of joins are known too");
  explain->footer(
      R"help(Names each condition with the files that its index removed, or with the reason why it removed
none: no index on the column, an expression that is not indexed, another type, too many keys, files
that are not indexed yet, or every file can match.

Examples:
  ariadne explain "SELECT * FROM flights WHERE upper(dest) = 'ORD'"
  ariadne explain --analyze "SELECT * FROM flights JOIN 'planes.csv' USING (tailnum)")help");
}

SqlArguments FinishSql(const SqlArguments& given) {
  SqlArguments sql = given;
  if (sql.serve != sql.statements.empty()) {
    throw InvalidArgument("sql needs STATEMENTS, or --serve to read them from standard input");
  }
  if (sql.max_rows < 0) throw InvalidArgument("--rows must be at least 0");
  if (!sql.output.empty() && !sql.format.empty()) {
    throw InvalidArgument("-o writes the format of its suffix: leave --format out");
  }
  if (sql.serve && (sql.format.empty() || sql.format == "text")) return sql;
  if (sql.format.empty()) sql.format = "table";
  if (sql.format == "parquet") {
    throw InvalidArgument("Parquet is no text: name a file with -o FILE.parquet");
  }
  if (sql.format != "table" && sql.format != "csv" && sql.format != "json") {
    throw InvalidArgument("--format '" + sql.format + "' is none of: table, csv, json");
  }
  return sql;
}

}  // namespace ariadne::cli
