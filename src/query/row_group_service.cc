#include "query/row_group_service.h"

#include <iostream>
#include <string>
#include <utility>

#include "source/file_uri.h"

namespace ariadne::query {

std::unique_ptr<rowgroup::IndexService> OpenRowGroups(const internal::LakeImpl& lake,
                                                      const rowgroup::RowGroupOptions& options) {
  auto root = lake.root;
  if (!options.root.empty()) {
    root = lake.stores->Resolve(source::DecodedUrl(source::CanonicalUri(options.root)));
  }
  return std::make_unique<rowgroup::IndexService>(options, root, [](const std::string& text) {
    std::cerr << "ariadne: warning: " << text << "\n";
  });
}

std::shared_ptr<const scan::RowGroupIndexing> RowGroupIndexingOf(
    const rowgroup::RowGroupOptions& options, std::shared_ptr<rowgroup::IndexStore> store) {
  return std::make_shared<const scan::RowGroupIndexing>(scan::RowGroupIndexing{
      .store = std::move(store),
      .stores = nullptr,
      .columns = {.bloom = options.column_bloom, .range = options.column_range},
      .expressions = options.expressions,
      .rate = options.fpr,
      .min_table_bytes = options.min_table_bytes});
}

}  // namespace ariadne::query
