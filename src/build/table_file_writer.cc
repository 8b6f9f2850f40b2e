#include "build/table_file_writer.h"

#include <utility>
#include <vector>

#include <arrow/array/concatenate.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/util/byte_size.h>

#include "ariadne/errors.h"
#include "build/index_file_writer.h"
#include "storage/delta_writer.h"

namespace ariadne::build {

namespace {

constexpr int64_t kRowGroupRows = 128 << 10;
constexpr int64_t kRowGroupBytes = 16 << 20;

template <typename T>
T Unwrap(arrow::Result<T> result) {
  if (!result.ok()) throw Error("cannot gather index rows: " + result.status().message());
  return result.MoveValueUnsafe();
}

}  // namespace

struct TableFileWriter::State {
  std::shared_ptr<arrow::Schema> schema;
  std::unique_ptr<IndexFileWriter> index_rows;       ///< Of the main index; else:
  std::unique_ptr<storage::DeltaFileWriter> values;  ///< Of the other tables.
  std::vector<std::shared_ptr<arrow::RecordBatch>> pending;
  int64_t pending_rows = 0;
  int64_t pending_bytes = 0;

  void Flush();
};

TableFileWriter::TableFileWriter(Workspace* workspace, const storage::ObjectRef& folder,
                                 std::shared_ptr<arrow::Schema> schema, bool with_lookups)
    : state_(std::make_unique<State>()) {
  state_->schema = std::move(schema);
  if (with_lookups) {
    state_->index_rows =
        std::make_unique<IndexFileWriter>(folder, state_->schema, workspace->LookupColumns(),
                                          workspace->target.layout.native(), workspace->context);
  } else {
    state_->values = std::make_unique<storage::DeltaFileWriter>(folder, state_->schema);
  }
}

TableFileWriter::~TableFileWriter() = default;

void TableFileWriter::State::Flush() {
  if (pending.empty()) return;
  arrow::ArrayVector columns;
  for (int i = 0; i < schema->num_fields(); ++i) {
    arrow::ArrayVector pieces;
    for (const auto& batch : pending) pieces.push_back(batch->column(i));
    columns.push_back(pieces.size() == 1 ? pieces[0] : Unwrap(arrow::Concatenate(pieces)));
  }
  values->Write(*arrow::RecordBatch::Make(schema, pending_rows, std::move(columns)));
  pending.clear();
  pending_rows = 0;
  pending_bytes = 0;
}

void TableFileWriter::Append(const std::shared_ptr<arrow::RecordBatch>& rows) {
  State& state = *state_;
  if (state.index_rows != nullptr) {
    state.index_rows->Append(rows);
    return;
  }
  state.pending.push_back(rows);
  state.pending_rows += rows->num_rows();
  state.pending_bytes += Unwrap(arrow::util::ReferencedBufferSize(*rows));
  if (state.pending_rows >= kRowGroupRows || state.pending_bytes >= kRowGroupBytes) state.Flush();
}

int64_t TableFileWriter::rows() const {
  return state_->index_rows != nullptr ? state_->index_rows->rows()
                                       : state_->values->rows() + state_->pending_rows;
}

int64_t TableFileWriter::bytes() const {
  return state_->index_rows != nullptr ? state_->index_rows->bytes()
                                       : state_->values->bytes() + state_->pending_bytes;
}

storage::DataFile TableFileWriter::Finish() {
  if (state_->index_rows != nullptr) return state_->index_rows->Finish();
  state_->Flush();
  return state_->values->Finish();
}

}  // namespace ariadne::build
