#pragma once

#include <string>

#include <arrow/type_fwd.h>

namespace ariadne::engine {

struct EmbeddedDatabase;

/// Copies an Arrow table into a table of the database, replacing one of that name. Throws
/// QueryError for names that differ by case only and for types that the engine lacks.
void LoadTable(EmbeddedDatabase& database, const std::string& name, const arrow::Table& table);

}  // namespace ariadne::engine
