#include "build/row_merge.h"

#include <algorithm>
#include <queue>
#include <string_view>

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

namespace ariadne::build {

namespace {

/// The next kept row of an input.
class Cursor {
 public:
  Cursor(const MergeInput* input, const std::shared_ptr<arrow::Schema>& schema)
      : input_(input),
        rows_(*input->table, input->table->files()[input->file], schema),
        filename_(schema->GetFieldIndex("filename")) {
    Settle();
  }

  [[nodiscard]] bool at_end() const { return batch_ == nullptr; }
  [[nodiscard]] std::string_view name() const {
    const auto& names = static_cast<const arrow::StringArray&>(*batch_->column(filename_));
    return names.IsNull(at_) ? std::string_view() : names.GetView(at_);
  }
  [[nodiscard]] std::shared_ptr<arrow::RecordBatch> Row() const { return batch_->Slice(at_, 1); }
  void Advance() {
    ++at_;
    Settle();
  }

 private:
  void Settle() {
    while (true) {
      while (batch_ != nullptr && at_ < batch_->num_rows() && !input_->keep[first_ + at_]) ++at_;
      if (batch_ != nullptr && at_ < batch_->num_rows()) return;
      if (batch_ != nullptr) first_ += batch_->num_rows();
      at_ = 0;
      batch_ = rows_.Next();
      if (batch_ == nullptr) return;
    }
  }

  const MergeInput* input_;
  TableRows rows_;
  int filename_;
  std::shared_ptr<arrow::RecordBatch> batch_;
  int64_t first_ = 0;  ///< Row of the file at which the batch begins.
  int64_t at_ = 0;
};

}  // namespace

void MergeRows(std::vector<MergeInput> inputs, const std::shared_ptr<arrow::Schema>& schema,
               size_t fan_in,
               const std::function<void(const std::shared_ptr<arrow::RecordBatch>&)>& append,
               const std::function<void()>& group_ended) {
  std::sort(inputs.begin(), inputs.end(),
            [](const MergeInput& a, const MergeInput& b) { return a.first_name < b.first_name; });
  for (size_t begin = 0; begin < inputs.size(); begin += fan_in) {
    if (begin > 0) group_ended();
    std::vector<std::unique_ptr<Cursor>> cursors;
    const auto later = [](const Cursor* a, const Cursor* b) { return a->name() > b->name(); };
    std::priority_queue<Cursor*, std::vector<Cursor*>, decltype(later)> next(later);
    for (size_t i = begin; i < std::min(inputs.size(), begin + fan_in); ++i) {
      cursors.push_back(std::make_unique<Cursor>(&inputs[i], schema));
      if (!cursors.back()->at_end()) next.push(cursors.back().get());
    }
    while (!next.empty()) {
      Cursor* cursor = next.top();
      next.pop();
      append(cursor->Row());
      cursor->Advance();
      if (!cursor->at_end()) next.push(cursor);
    }
  }
}

}  // namespace ariadne::build
