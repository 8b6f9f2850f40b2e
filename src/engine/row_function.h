#pragma once

#include <memory>
#include <string>

#include <arrow/type_fwd.h>

#include "engine/session.h"

namespace ariadne::engine {

struct EmbeddedDatabase;

/// See Session::RegisterFunction.
void RegisterRowFunction(EmbeddedDatabase& database, const std::string& name,
                         const arrow::Schema& arguments,
                         const std::shared_ptr<arrow::Field>& result, RowFunction function);

}  // namespace ariadne::engine
