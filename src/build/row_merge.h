#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <arrow/type_fwd.h>

#include "build/table_rows.h"
#include "storage/delta_table.h"

namespace ariadne::build {

/// Rows of one data file that take part in a merge.
struct MergeInput {
  const storage::DeltaTable* table = nullptr;
  int32_t file = 0;        ///< Place in the table's files.
  std::vector<bool> keep;  ///< By row.
  /// No kept row's name is smaller: from it on the input is read.
  std::string first_name;
};

/// Gives the kept rows of all inputs, sorted by filename as far as the inputs are, in slices.
/// `fan_in`: inputs open at one time, at least 1. An input is open from its first name to its last
/// row; where more overlap, those open are merged to their end, `group_ended` is called, and the
/// others follow as a group of their own.
void MergeRows(std::vector<MergeInput> inputs, const std::shared_ptr<arrow::Schema>& schema,
               size_t fan_in,
               const std::function<void(const std::shared_ptr<arrow::RecordBatch>&)>& append,
               const std::function<void()>& group_ended);

}  // namespace ariadne::build
