#include "python/row_stream.h"

#include <mutex>
#include <utility>

#include <arrow/record_batch.h>
#include <arrow/status.h>
#include <arrow/type.h>

#include "ariadne/errors.h"
#include "engine/session.h"
#include "python/arrow_exchange.h"
#include "python/watched_call.h"

namespace ariadne::python {

namespace nb = nanobind;

struct RowStream::State {
  std::shared_ptr<arrow::Schema> schema;
  std::stop_source stop;
  std::mutex mutex;
  std::shared_ptr<void> owner;
  std::function<double()> percent;  ///< Never changed: asked while a batch is read.
  std::shared_ptr<arrow::RecordBatchReader> reader;  ///< nullptr: handed over or closed.

  arrow::Status Next(std::shared_ptr<arrow::RecordBatch>* batch) {
    const std::lock_guard lock(mutex);
    if (!reader) return arrow::Status::Invalid("the rows were closed");
    return reader->ReadNext(batch);
  }
  void Close() {
    const std::lock_guard lock(mutex);
    reader.reset();
    owner.reset();
  }
};

namespace {

// What other libraries read: their main thread keeps taking Ctrl-C meanwhile.
class WatchedReader final : public arrow::RecordBatchReader {
 public:
  using ReadBatch = std::function<arrow::Status(std::shared_ptr<arrow::RecordBatch>*)>;

  WatchedReader(std::shared_ptr<arrow::Schema> schema, std::stop_source stop, ReadBatch read)
      : schema_(std::move(schema)), stop_(std::move(stop)), read_(std::move(read)) {}

  std::shared_ptr<arrow::Schema> schema() const override { return schema_; }

  arrow::Status ReadNext(std::shared_ptr<arrow::RecordBatch>* batch) override {
    if (!InMainThread() || Py_IsInitialized() == 0) return read_(batch);
    const nb::gil_scoped_acquire interpreter;
    try {
      auto read = Watched(
          AtInterrupt::kLeave,
          [read = read_](const std::stop_token&) {
            std::shared_ptr<arrow::RecordBatch> next;
            arrow::Status status = read(&next);
            return std::pair(std::move(status), std::move(next));
          },
          nullptr, stop_);
      *batch = std::move(read.second);
      return std::move(read.first);
    } catch (nb::python_error& error) {
      // The library that reads knows of statuses alone: the interrupt comes again once it is done.
      if (error.matches(PyExc_KeyboardInterrupt)) PyErr_SetInterrupt();
      return arrow::Status::Cancelled("interrupted");
    }
  }

 private:
  std::shared_ptr<arrow::Schema> schema_;
  std::stop_source stop_;
  ReadBatch read_;
};

[[noreturn]] void ThrowGone() {
  throw InvalidArgument(
      "these rows were read, handed over or closed before: they come once; keep them with "
      "to_arrow(), or ask again");
}

}  // namespace

RowStream::RowStream(std::shared_ptr<arrow::RecordBatchReader> reader, std::stop_source stop,
                     std::shared_ptr<void> owner, std::function<double()> percent)
    : state_(std::make_shared<State>()) {
  state_->schema = reader->schema();
  state_->stop = std::move(stop);
  state_->owner = std::move(owner);
  state_->percent = std::move(percent);
  state_->reader = std::move(reader);
}

nb::capsule RowStream::Schema() const { return ExportSchema(*state_->schema); }

nb::object RowStream::Next(nb::object callback) {
  Progress progress(std::move(callback), state_->percent);
  auto batch = Watched(
      AtInterrupt::kLeave,
      [state = state_](const std::stop_token&) {
        std::shared_ptr<arrow::RecordBatch> next;
        {
          const std::lock_guard lock(state->mutex);
          if (!state->reader) ThrowGone();
          engine::ThrowIfFailed(state->reader->ReadNext(&next));
        }
        return next;
      },
      &progress, state_->stop);
  if (!batch) return nb::none();
  return ExportBatch(*batch);
}

nb::capsule RowStream::Export() {
  std::shared_ptr<State> rest = std::make_shared<State>();
  rest->schema = state_->schema;
  rest->stop = state_->stop;
  {
    const nb::gil_scoped_release release;
    const std::lock_guard lock(state_->mutex);
    if (!state_->reader) ThrowGone();
    rest->reader = std::move(state_->reader);
    rest->owner = std::move(state_->owner);
  }
  return ExportStream(std::make_shared<WatchedReader>(
      rest->schema, rest->stop,
      [rest](std::shared_ptr<arrow::RecordBatch>* batch) { return rest->Next(batch); }));
}

void RowStream::Close() {
  const nb::gil_scoped_release release;
  state_->stop.request_stop();
  state_->Close();
}

void BindRowStream(nb::module_& module) {
  nb::class_<RowStream>(module, "RowStream")
      .def("schema", &RowStream::Schema)
      .def("next", &RowStream::Next, nb::arg("progress").none())
      .def("export", &RowStream::Export)
      .def("close", &RowStream::Close);
}

}  // namespace ariadne::python
