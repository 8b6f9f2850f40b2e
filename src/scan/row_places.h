#pragma once

#include <string>

#include <arrow/type_fwd.h>

namespace ariadne::scan {

/// `name`, with underscores behind it until no column of the schema is called so, whatever the
/// case.
std::string FreeName(const arrow::Schema& schema, std::string name);

/// Names of the virtual columns of a scan that tell where a row lies. The data's own columns win,
/// so these give way to them.
struct RowPlaces {
  explicit RowPlaces(const arrow::Schema& schema)
      : file(FreeName(schema, "file_index")), row(FreeName(schema, "file_row_number")) {}

  std::string file;  ///< UBIGINT: place of the row's file in the set.
  std::string row;   ///< BIGINT: place of the row in its file.
};

}  // namespace ariadne::scan
