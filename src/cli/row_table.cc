#include "cli/row_table.h"

#include <iostream>

#include <arrow/array.h>
#include <arrow/record_batch.h>

#include "cli/cells.h"
#include "cli/output.h"
#include "cli/text_table.h"
#include "engine/session.h"

namespace ariadne::cli {
namespace {

// Long texts are cut for people; machines take --json or -o.
constexpr size_t kWidestCell = 60;
constexpr size_t kWidthWithoutTerminal = 160;

}  // namespace

void ForEachBatch(arrow::RecordBatchReader& rows,
                  const std::function<void(const arrow::RecordBatch&)>& visit) {
  while (true) {
    std::shared_ptr<arrow::RecordBatch> batch;
    engine::ThrowIfFailed(rows.ReadNext(&batch));
    if (batch == nullptr) return;
    visit(*batch);
  }
}

int64_t PrintRows(arrow::RecordBatchReader& rows, int64_t max_rows, Streams& streams) {
  std::vector<TextTable::Column> columns;
  for (const auto& field : rows.schema()->fields()) {
    columns.push_back({field->name(), IsNumber(*field->type())});
  }
  TextTable table(std::move(columns));
  int64_t count = 0;
  int64_t shown = 0;
  ForEachBatch(rows, [&](const arrow::RecordBatch& batch) {
    for (int64_t row = 0; row < batch.num_rows() && (max_rows == 0 || shown < max_rows); ++row) {
      std::vector<std::string> cells;
      for (const auto& column : batch.columns()) {
        cells.push_back(Shorten(CellText(*column, row), kWidestCell));
      }
      table.AddRow(std::move(cells));
      ++shown;
    }
    count += batch.num_rows();
  });
  table.Print(streams.out, streams.out_width > 0 ? static_cast<size_t>(streams.out_width)
                                                 : kWidthWithoutTerminal);
  streams.out << "(" << Counted(count, "row");
  if (count > shown) streams.out << ", " << count - shown << " more not shown";
  streams.out << ")\n";
  return count;
}

}  // namespace ariadne::cli
