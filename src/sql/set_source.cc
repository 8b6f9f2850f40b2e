#include "sql/set_source.h"

#include <utility>

#include "duckdb/main/extension/extension_loader.hpp"
#include "duckdb/parser/expression/constant_expression.hpp"
#include "duckdb/parser/expression/function_expression.hpp"
#include "duckdb/parser/tableref/table_function_ref.hpp"
#include "scan/scan_function.h"

namespace ariadne::sql {

duckdb::unique_ptr<duckdb::TableRef> RefToSet(const std::string& set) {
  duckdb::vector<duckdb::unique_ptr<duckdb::ParsedExpression>> arguments;
  arguments.push_back(duckdb::make_uniq<duckdb::ConstantExpression>(duckdb::Value(set)));
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
