#include "query/live_rows.h"

#include <memory>

#include "build/deleted_rows.h"
#include "build/row_removal.h"
#include "scan/deleted_rows.h"

namespace ariadne::query {

void LeaveOutDeletedRows(const internal::IndexImpl& index, scan::FileSet* files) {
  if (files->format != "parquet" || files->files.empty()) return;
  const build::DeletedRows deleted = build::LoadDeletedRows(index.layout());
  if (deleted.empty()) return;
  for (scan::ScanFile& file : files->files) {
    const auto found = deleted.find(build::FileKey(file.uri));
    if (found == deleted.end()) continue;
    file.deleted_rows = std::make_shared<const scan::DeletedRows>(found->second);
  }
}

}  // namespace ariadne::query
