#include "storage/delta_log.h"

#include <memory>

#include <nlohmann/json.hpp>

#include "ariadne_delta_rows.h"
#include "storage/layout.h"
#include "storage/store_call.h"

namespace ariadne::storage {

using internal::Check;
using internal::OwnedBytes;
using internal::PackedReader;

std::optional<DeltaLog> ReadDeltaLog(const ObjectRef& folder) {
  const ObjectRef log = IndexLayout::Join(folder, "_delta_log");
  if (log.store->ListNames(log.path).empty()) return std::nullopt;
  char* message = nullptr;
  ArTable* opened = nullptr;
  Check(ar_table_open(folder.store->handle(), folder.path.c_str(), &opened, &message), &message);
  const std::unique_ptr<ArTable, decltype(&ar_table_free)> table(opened, &ar_table_free);

  DeltaLog found;
  OwnedBytes described;
  Check(ar_table_describe(table.get(), described.out(), &message), &message);
  const auto metadata = nlohmann::json::parse(described.view()).at("metaData");
  found.schema_json = metadata.at("schemaString").get<std::string>();
  found.partition_columns = metadata.value("partitionColumns", std::vector<std::string>());

  OwnedBytes files;
  Check(ar_table_files(table.get(), files.out(), &message), &message);
  for (PackedReader packed(files.view()); !packed.done();) {
    found.files.push_back(packed.Text());
    (void)packed.Text();                                 // The path as logged,
    for (int i = 0; i < 4; ++i) (void)packed.Integer();  // size, time, records, vector or not,
    (void)packed.Text();                                 // statistics.
  }

  OwnedBytes deleted;
  Check(ar_table_deleted_rows(table.get(), deleted.out(), &message), &message);
  for (PackedReader packed(deleted.view()); !packed.done();) {
    std::vector<int64_t>& rows = found.deleted_rows[packed.Text()];
    rows.resize(static_cast<size_t>(packed.Integer()));
    for (int64_t& row : rows) row = packed.Integer();
  }
  return found;
}

}  // namespace ariadne::storage
