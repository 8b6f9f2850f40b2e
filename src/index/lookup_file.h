#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <arrow/type_fwd.h>

#include "index/column_index.h"
#include "storage/object_store.h"

namespace ariadne::index {

/// Postings of one regular column over one data file of the main index: value hash -> rows of that
/// data file whose array holds the value. Since a row holds a file's whole array, the main index
/// alone would have to be read whole for one value; this answers with three small reads. It lies at
/// `native/lookup/{column}/{data file name}.lookup`, so it can never be behind the immutable data
/// file that it describes; a missing, foreign or damaged one means that the data file is read.
/// Byte layout: docs/storage-format.md.
class LookupWriter {
 public:
  explicit LookupWriter(const BuildContext& context);
  ~LookupWriter();
  /// `hashes`: HashValues of the distinct values of row `row`; rows ascend.
  void Add(int64_t row, std::span<const uint64_t> hashes);
  /// A row whose cell is null: it may hold anything.
  void AddNull(int64_t row);
  void Finish(const storage::ObjectRef& object);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Immutable, thread-safe.
class LookupFile {
 public:
  static storage::ObjectRef Path(const storage::ObjectRef& native_folder, const std::string& column,
                                 const std::string& data_file_path);
  /// nullptr where it is missing or damaged (damage is said once on standard error).
  static std::shared_ptr<LookupFile> Open(const storage::ObjectRef& object);
  ~LookupFile();
  [[nodiscard]] int64_t num_rows() const;
  /// Clears `mask[row]` of every row that holds none of the hashes; `mask` has num_rows() bytes.
  /// Returns false, mask untouched, where a block turns out damaged.
  [[nodiscard]] bool Find(std::span<const uint64_t> hashes, uint8_t* mask) const;

 private:
  struct State;
  explicit LookupFile(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace ariadne::index
