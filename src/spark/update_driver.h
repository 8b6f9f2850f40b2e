#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ariadne/index.h"
#include "ariadne/options.h"

namespace ariadne::spark {

/// build::DistributedUpdate of an index of a lake, its shares and what became of them as text. One
/// thread at a time.
class UpdateDriver {
 public:
  /// Locks and plans. Throws as Index::Update, IndexNotFound.
  UpdateDriver(const std::string& root, const std::string& index, const Options& options,
               const UpdateOptions& update, int parallelism);
  /// Releases the lock.
  ~UpdateDriver();

  /// See build::DistributedUpdate::NextShare.
  std::optional<std::string> NextShare();
  [[nodiscard]] bool done() const;
  /// `results`: as IndexWorker::BuildShare gave them.
  void Commit(const std::vector<std::string>& results);
  void KeepLock();
  UpdateReport Finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ariadne::spark
