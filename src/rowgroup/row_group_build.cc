#include "rowgroup/row_group_build.h"

#include <algorithm>

namespace ariadne::rowgroup {
namespace {

bool Has(const std::vector<Registration>& registrations, Kind kind) {
  return std::any_of(registrations.begin(), registrations.end(),
                     [kind](const auto& each) { return each.key().kind == kind; });
}

}  // namespace

std::unique_ptr<RowGroupBuild> RowGroupBuild::Start(IndexStore& store, const FileIdentity& file,
                                                    int32_t row_group, const std::string& target,
                                                    Kinds kinds, Domain domain, int64_t rows,
                                                    double rate, HashRooms& rooms) {
  std::vector<IndexKey> keys;
  for (const Kind kind : {Kind::kBloom, Kind::kRange}) {
    if (!(kind == Kind::kBloom ? kinds.bloom : kinds.range)) continue;
    keys.push_back({.file = file, .row_group = row_group, .target = target, .kind = kind});
  }
  auto registrations = store.Register(keys);
  if (registrations.empty()) return nullptr;
  return std::unique_ptr<RowGroupBuild>(
      new RowGroupBuild(std::move(registrations), domain, rows, rate, rooms));
}

RowGroupBuild::RowGroupBuild(std::vector<Registration> registrations, Domain domain, int64_t rows,
                             double rate, HashRooms& rooms)
    : registrations_(std::move(registrations)), rows_(rows) {
  const Kinds wanted{.bloom = Has(registrations_, Kind::kBloom),
                     .range = Has(registrations_, Kind::kRange)};
  values_.emplace(domain, wanted, rate, rooms, rows);
}

bool RowGroupBuild::Seal() {
  if (seen_ != rows_) {
    Discard(DiscardReason::kRowsSkipped);
    return false;
  }
  if (values_->overflowed()) {
    Discard(DiscardReason::kTooManyValues);
    return false;
  }
  std::vector<Kind> kinds;
  for (const Registration& registration : registrations_) kinds.push_back(registration.key().kind);
  sealed_ = values_->Make(kinds, rows_);
  values_.reset();
  return true;
}

void RowGroupBuild::Commit() {
  for (size_t i = 0; i < sealed_.size(); ++i) registrations_[i].Commit(std::move(sealed_[i]));
  sealed_.clear();
}

void RowGroupBuild::Discard(DiscardReason reason) {
  for (Registration& registration : registrations_) registration.Discard(reason);
  sealed_.clear();
}

}  // namespace ariadne::rowgroup
