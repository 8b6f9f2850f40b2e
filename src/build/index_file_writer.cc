#include "build/index_file_writer.h"

#include <span>
#include <utility>

#include <arrow/array.h>
#include <arrow/array/concatenate.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/util/byte_size.h>

#include "ariadne/errors.h"
#include "index/lookup_file.h"

namespace ariadne::build {

namespace {

/// A row group's cells: what a query reads at least to see one of them.
constexpr int64_t kRowGroupBytes = 16 << 20;
constexpr int64_t kRowGroupRows = 512;

template <typename T>
T Unwrap(arrow::Result<T> result) {
  if (!result.ok()) throw Error("cannot gather index rows: " + result.status().message());
  return result.MoveValueUnsafe();
}

}  // namespace

struct IndexFileWriter::State {
  State(const storage::ObjectRef& folder, std::shared_ptr<arrow::Schema> file_schema,
        storage::ObjectRef native_folder)
      : schema(std::move(file_schema)), native(std::move(native_folder)), file(folder, schema) {}

  std::shared_ptr<arrow::Schema> schema;
  storage::ObjectRef native;
  storage::DeltaFileWriter file;
  struct Lookup {
    std::string column;
    int field;
    std::unique_ptr<index::LookupWriter> writer;
  };
  std::vector<Lookup> lookups;
  std::vector<std::shared_ptr<arrow::RecordBatch>> pending;
  int64_t pending_bytes = 0;
  int64_t pending_rows = 0;

  void Flush();
};

IndexFileWriter::IndexFileWriter(const storage::ObjectRef& folder,
                                 std::shared_ptr<arrow::Schema> schema,
                                 std::vector<std::string> lookup_columns, storage::ObjectRef native,
                                 const index::BuildContext& context)
    : state_(std::make_unique<State>(folder, std::move(schema), std::move(native))) {
  index::BuildContext share = context;
  if (!lookup_columns.empty()) {
    share.memory_bytes /= static_cast<int64_t>(lookup_columns.size());
  }
  for (std::string& column : lookup_columns) {
    const int field = state_->schema->GetFieldIndex(column);
    if (field < 0) continue;
    state_->lookups.push_back(
        {std::move(column), field, std::make_unique<index::LookupWriter>(share)});
  }
}

IndexFileWriter::~IndexFileWriter() = default;

void IndexFileWriter::Append(const std::shared_ptr<arrow::RecordBatch>& rows) {
  State& state = *state_;
  for (int64_t at = 0; at < rows->num_rows();) {
    // Rows may be of any size, so they are weighed one by one where there is something to cut.
    auto piece = rows->Slice(at);
    int64_t bytes = Unwrap(arrow::util::ReferencedBufferSize(*piece));
    if (piece->num_rows() > 1 && (state.pending_bytes + bytes > kRowGroupBytes ||
                                  state.pending_rows + piece->num_rows() > kRowGroupRows)) {
      piece = rows->Slice(at, 1);
      bytes = Unwrap(arrow::util::ReferencedBufferSize(*piece));
    }
    at += piece->num_rows();
    state.pending_rows += piece->num_rows();
    state.pending_bytes += bytes;
    state.pending.push_back(std::move(piece));
    if (state.pending_bytes >= kRowGroupBytes || state.pending_rows >= kRowGroupRows) state.Flush();
  }
}

void IndexFileWriter::State::Flush() {
  if (pending.empty()) return;
  const int64_t first_row = file.rows();
  arrow::ArrayVector columns;
  for (int i = 0; i < schema->num_fields(); ++i) {
    arrow::ArrayVector pieces;
    for (const auto& batch : pending) pieces.push_back(batch->column(i));
    columns.push_back(pieces.size() == 1 ? pieces[0] : Unwrap(arrow::Concatenate(pieces)));
  }
  const auto group = arrow::RecordBatch::Make(schema, pending_rows, std::move(columns));
  pending.clear();
  pending_bytes = 0;
  pending_rows = 0;
  for (Lookup& lookup : lookups) {
    const auto& lists = static_cast<const arrow::ListArray&>(*group->column(lookup.field));
    const int64_t begin = lists.length() == 0 ? 0 : lists.value_offset(0);
    const int64_t end = lists.length() == 0 ? 0 : lists.value_offset(lists.length());
    const std::vector<uint64_t> hashes =
        index::HashValues(*lists.values()->Slice(begin, end - begin));
    for (int64_t i = 0; i < lists.length(); ++i) {
      if (lists.IsNull(i)) {
        lookup.writer->AddNull(first_row + i);
      } else {
        lookup.writer->Add(first_row + i, std::span(hashes).subspan(lists.value_offset(i) - begin,
                                                                    lists.value_length(i)));
      }
    }
  }
  file.Write(*group);
}

int64_t IndexFileWriter::rows() const { return state_->file.rows() + state_->pending_rows; }
int64_t IndexFileWriter::bytes() const { return state_->file.bytes(); }
int64_t IndexFileWriter::pending_bytes() const { return state_->pending_bytes; }

storage::DataFile IndexFileWriter::Finish() {
  State& state = *state_;
  state.Flush();
  storage::DataFile file = state.file.Finish();
  for (auto& lookup : state.lookups) {
    lookup.writer->Finish(index::LookupFile::Path(state.native, lookup.column, file.path));
  }
  return file;
}

}  // namespace ariadne::build
