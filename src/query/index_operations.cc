#include "ariadne/index.h"
#include "build/compact.h"
#include "build/delete.h"
#include "build/statistics.h"
#include "build/sync.h"
#include "build/vacuum.h"
#include "query/index_state.h"

namespace ariadne {

DeleteReport Index::Delete(const std::vector<std::string>& files) {
  return build::Delete(impl_->update_target(), files);
}

CompactReport Index::Compact(const CompactOptions& options) {
  return build::Compact(impl_->update_target(), options);
}

VacuumReport Index::Vacuum(const VacuumOptions& options) {
  return build::Vacuum(impl_->update_target(), options);
}

std::vector<ColumnStatistics> Index::Stats() const {
  return build::ComputeStatistics(impl_->update_target(), impl_->ReadMetadata());
}

SyncReport Index::Sync(const SyncOptions& options) {
  return build::Sync(impl_->update_target(), options);
}

}  // namespace ariadne
