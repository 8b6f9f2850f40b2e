#include "sql/set_source.h"

#include <utility>

#include "duckdb/main/extension/extension_loader.hpp"
#include "duckdb/parser/expression/constant_expression.hpp"
#include "duckdb/parser/expression/function_expression.hpp"
#include "duckdb/parser/tableref/table_function_ref.hpp"
#include "scan/file_sets.h"
#include "scan/scan_function.h"
#include "sql/pruning_log.h"

namespace ariadne::sql {

duckdb::unique_ptr<duckdb::TableRef> RefToFiles(const std::string& name,
                                                std::shared_ptr<const scan::FileSet> files,
                                                scan::FileSets& sets,
                                                const std::shared_ptr<PruningLog>& log) {
  ScanReport report;
  report.plan = log->NextPlan();
  report.table = name;
  report.of_table = false;
  report.total_files = report.planned_files = static_cast<int64_t>(files->files.size());
  report.files = report.total_files;
  // Weak: the log keeps the set.
  const std::weak_ptr weak = log;
  sets.Put(
      name, std::move(files),
      [report, weak](const auto& set) {
        ScanReport begun = report;
        begun.read = set;
        if (const auto known = weak.lock()) known->Add(std::move(begun));
      },
      [report, weak](bool planned) {
        if (const auto known = weak.lock()) known->Add(planned ? report : LeftOut(report));
      });
  duckdb::vector<duckdb::unique_ptr<duckdb::ParsedExpression>> arguments;
  arguments.push_back(duckdb::make_uniq<duckdb::ConstantExpression>(duckdb::Value(name)));
  auto function = duckdb::make_uniq<duckdb::TableFunctionRef>();
  function->function =
      duckdb::make_uniq<duckdb::FunctionExpression>(scan::kScanFunction, std::move(arguments));
  return function;
}

void RegisterSource(duckdb::DatabaseInstance& database, const std::string& name,
                    duckdb::table_function_bind_replace_t replace,
                    duckdb::shared_ptr<duckdb::TableFunctionInfo> info) {
  duckdb::TableFunction function(name, {duckdb::LogicalType::VARCHAR}, nullptr, nullptr);
  function.bind_replace = replace;
  function.function_info = std::move(info);
  duckdb::ExtensionLoader loader(database, "ariadne");
  loader.RegisterFunction(std::move(function));
}

}  // namespace ariadne::sql
