#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <vector>

#include <arrow/type_fwd.h>
#include <nanobind/nanobind.h>

namespace ariadne::python {

/// Rows of a join or a query, read once: batch by batch, or handed as a stream to another library.
/// Thread-safe in that one caller at a time reads.
class RowStream {
 public:
  /// `stop` ends the reading; `owner` (of what the rows come from) goes after the reader.
  /// `percent` of the query that is done; see Progress.
  RowStream(std::shared_ptr<arrow::RecordBatchReader> reader, std::stop_source stop,
            std::shared_ptr<void> owner = nullptr, std::function<double()> percent = {});

  [[nodiscard]] nanobind::capsule Schema() const;
  /// Capsules of the next batch, None at the end. `callback` as of Progress. Throws what the query
  /// does, and InvalidArgument once the stream was handed over or closed.
  nanobind::object Next(nanobind::object callback);
  /// Hands the rest over as a capsule of `__arrow_c_stream__`. Ctrl-C ends its reading too.
  nanobind::capsule Export();
  void Close();

 private:
  struct State;
  std::shared_ptr<State> state_;
};

void BindRowStream(nanobind::module_& module);

}  // namespace ariadne::python
