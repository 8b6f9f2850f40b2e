#pragma once

namespace duckdb {
class DatabaseInstance;
}

namespace ariadne::engine {

/// Adds the function that SparkExpression::ToDuckSql calls to a database:
/// `ariadne_spark('text', {'column': value, ...})`, typed and computed as the expression over a row
/// of these columns. Text that does not compile is an error of binding, with the same message.
void RegisterSparkExpression(duckdb::DatabaseInstance& database);

}  // namespace ariadne::engine
