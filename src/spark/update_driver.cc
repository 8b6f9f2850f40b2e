#include "spark/update_driver.h"

#include <utility>

#include "ariadne/errors.h"
#include "build/distributed_update.h"
#include "query/index_state.h"

namespace ariadne::spark {

struct UpdateDriver::State {
  State(std::shared_ptr<internal::IndexImpl> opened, const UpdateOptions& update_options,
        int parallelism)
      : index(std::move(opened)),
        target(index->update_target()),
        options(update_options),
        update(target, options, parallelism) {}

  std::shared_ptr<internal::IndexImpl> index;
  build::UpdateTarget target;
  UpdateOptions options;
  build::DistributedUpdate update;
};

UpdateDriver::UpdateDriver(const std::string& root, const std::string& index,
                           const Options& options, const UpdateOptions& update, int parallelism) {
  const auto lake = std::make_shared<internal::LakeImpl>(root, options);
  auto opened = internal::OpenIndex(lake, index);
  if (opened == nullptr) {
    throw IndexNotFound("no index '" + index + "' at " + lake->root_url + "; create it first");
  }
  state_ = std::make_unique<State>(std::move(opened), update, parallelism);
}

UpdateDriver::~UpdateDriver() = default;

std::optional<std::string> UpdateDriver::NextShare() {
  const auto share = state_->update.NextShare();
  if (!share) return std::nullopt;
  return share->ToJson();
}

bool UpdateDriver::done() const { return state_->update.done(); }

void UpdateDriver::Commit(const std::vector<std::string>& results) {
  std::vector<build::ShareResult> parsed;
  parsed.reserve(results.size());
  for (const std::string& result : results) parsed.push_back(build::ShareResult::Parse(result));
  state_->update.Commit(std::move(parsed));
}

void UpdateDriver::KeepLock() { state_->update.KeepLock(); }

UpdateReport UpdateDriver::Finish() { return state_->update.Finish(); }

}  // namespace ariadne::spark
