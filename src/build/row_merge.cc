#include "build/row_merge.h"

#include <algorithm>
#include <map>
#include <queue>
#include <string_view>
#include <utility>

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
  // An open input holds a decoded batch and pages. Batches are built in the order of the names, so
  // that few inputs overlap: each is opened when the merge comes to its first name, not before.
  std::map<const Cursor*, std::unique_ptr<Cursor>> open;
  const auto later = [](const Cursor* a, const Cursor* b) { return a->name() > b->name(); };
  std::priority_queue<Cursor*, std::vector<Cursor*>, decltype(later)> next(later);
  const auto advance_or_close = [&](Cursor* cursor) {
    if (cursor->at_end()) {
      open.erase(cursor);
    } else {
      next.push(cursor);
    }
  };
  bool draining = false;  // An input was due and could not be opened: the group ends without it.
  for (size_t at = 0; at < inputs.size() || !next.empty();) {
    if (next.empty() && std::exchange(draining, false)) group_ended();
    while (!draining && at < inputs.size() &&
           (next.empty() || inputs[at].first_name <= next.top()->name())) {
      draining = open.size() >= fan_in;
      if (draining) break;
      auto cursor = std::make_unique<Cursor>(&inputs[at++], schema);
      Cursor* opened = cursor.get();
      open.emplace(opened, std::move(cursor));
      advance_or_close(opened);
    }
    if (next.empty()) continue;
    Cursor* cursor = next.top();
    next.pop();
    append(cursor->Row());
    cursor->Advance();
    advance_or_close(cursor);
  }
}

}  // namespace ariadne::build
