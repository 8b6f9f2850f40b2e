#pragma once

#include <memory>
#include <optional>

#include <arrow/io/interfaces.h>

#include "storage/object_store.h"

namespace ariadne::storage {

/// Random access over an object by ranged reads; on a local disk through one open descriptor.
/// `size` saves the HEAD request where it is known. Thread-safe for ReadAt. Throws ObjectNotFound,
/// StorageError when opened; reads return Arrow's IOError.
std::shared_ptr<arrow::io::RandomAccessFile> OpenInput(const ObjectRef& object,
                                                       std::optional<int64_t> size = {});

/// What an input of a local disk has opened, whatever its name leads to by now, told so that
/// whoever writes to the file from then on makes it another: waits until the clock of the disk has
/// moved on since the last write, some milliseconds. nullopt: it is no input of a local disk, it is
/// being written, or the disk's clock is too coarse.
std::optional<ObjectMeta> SettledMeta(const arrow::io::RandomAccessFile& input);

/// Streams an object of any size (multi-part where the store has it). It appears, whole and
/// fsynced, when Close() succeeds; a stream dropped without Close leaves nothing behind.
std::shared_ptr<arrow::io::OutputStream> OpenOutput(const ObjectRef& object);

}  // namespace ariadne::storage
