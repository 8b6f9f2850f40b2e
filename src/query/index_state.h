#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <arrow/type_fwd.h>

#include "ariadne/options.h"
#include "build/update.h"
#include "query/main_index.h"
#include "query/session_pool.h"
#include "storage/file_list.h"
#include "storage/layout.h"
#include "storage/metadata.h"
#include "storage/object_store.h"

namespace ariadne::internal {

/// What the handles of a lake share.
class LakeImpl {
 public:
  LakeImpl(const std::string& root, Options options);

  std::string root_url;  ///< Decoded.
  Options options;
  std::shared_ptr<storage::Stores> stores;
  storage::ObjectRef root;
  std::unique_ptr<query::SessionPool> sessions;
};

/// What the handles of an index share: where it lies, and the snapshots that the last call left, so
/// that the next one reads only what was committed since. Thread-safe.
class IndexImpl {
 public:
  IndexImpl(std::shared_ptr<LakeImpl> lake, storage::IndexLayout layout,
            const storage::IndexMetadata& metadata);

  [[nodiscard]] const LakeImpl& lake() const { return *lake_; }
  [[nodiscard]] const storage::IndexLayout& layout() const { return layout_; }
  [[nodiscard]] const std::shared_ptr<arrow::Schema>& schema() const { return schema_; }
  [[nodiscard]] const std::string& format() const { return format_; }
  [[nodiscard]] const ReadOptions& read_options() const { return read_options_; }
  [[nodiscard]] const storage::FileList& file_list() const { return file_list_; }
  [[nodiscard]] storage::FileList& file_list() { return file_list_; }

  /// As it stands in the store now. Throws IndexNotFound where the index was removed.
  [[nodiscard]] storage::IndexMetadata ReadMetadata() const;
  /// The newest snapshot of the main index; nullptr before the first update.
  [[nodiscard]] std::shared_ptr<const query::MainIndex> ReadMainIndex() const;
  [[nodiscard]] build::UpdateTarget update_target() const;

 private:
  std::shared_ptr<LakeImpl> lake_;
  storage::IndexLayout layout_;
  std::shared_ptr<arrow::Schema> schema_;
  std::string format_;
  ReadOptions read_options_;
  storage::FileList file_list_;
  mutable std::mutex mutex_;
  mutable std::shared_ptr<storage::DeltaTable> table_;
  mutable std::shared_ptr<const query::MainIndex> main_index_;
};

/// The index of that name as it stands now; nullptr where there is none.
std::shared_ptr<IndexImpl> OpenIndex(const std::shared_ptr<LakeImpl>& lake,
                                     const std::string& name);
/// Names of the indexes, sorted.
std::vector<std::string> IndexNames(const LakeImpl& lake);

}  // namespace ariadne::internal
