#include "query/live_rows.h"

#include <map>
#include <string>
#include <vector>

#include "build/deleted_rows.h"
#include "build/row_removal.h"
#include "scan/deleted_rows.h"

namespace ariadne::query {

void LeaveOutDeletedRows(const internal::IndexImpl& index, scan::FileSet* files) {
  if (files->format != "parquet" || files->files.empty()) return;
  const build::DeletedRows deleted = build::LoadDeletedRows(index.layout());
  if (deleted.empty()) return;
  std::map<std::string, std::vector<int64_t>> rows;
  for (const scan::ScanFile& file : files->files) {
    const auto found = deleted.find(build::FileKey(file.uri));
    if (found != deleted.end()) rows.emplace(file.uri, found->second);
  }
  scan::LeaveOut(rows, files);
}

}  // namespace ariadne::query
