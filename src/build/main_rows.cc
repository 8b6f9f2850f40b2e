#include "build/main_rows.h"

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "ariadne/errors.h"
#include "build/table_rows.h"
#include "source/file_uri.h"

namespace ariadne::build {

std::string CanonicalOrSame(const std::string& stored) {
  try {
    return source::CanonicalUri(stored);
  } catch (const Error&) {
    return stored;
  }
}

void CheckPlain(const storage::DeltaTable& table) {
  if (table.is_plain()) return;
  throw InvalidDeltaTable(table.folder().store->base_url() + table.folder().path +
                          " uses deletion vectors, column mapping or partitions, which no index "
                          "table does; rewrite it with the engine that made it so (for deletion "
                          "vectors: REORG TABLE ... APPLY (PURGE)) and try again");
}

MainRows LoadMainRows(const storage::DeltaTable& main) {
  CheckPlain(main);
  const auto schema = arrow::schema({arrow::field("filename", arrow::utf8())});
  MainRows rows;
  for (size_t file = 0; file < main.files().size(); ++file) {
    TableRows reader(main, main.files()[file], schema);
    int64_t row = 0;
    while (const auto batch = reader.Next()) {
      const auto& names = static_cast<const arrow::StringArray&>(*batch->column(0));
      for (int64_t i = 0; i < names.length(); ++i, ++row) {
        if (names.IsNull(i)) continue;
        rows[CanonicalOrSame(names.GetString(i))].push_back({static_cast<int32_t>(file), row});
      }
    }
  }
  return rows;
}

int64_t SumFileSizes(const storage::DeltaTable& main) {
  CheckPlain(main);
  const auto schema = arrow::schema({arrow::field("file_size", arrow::int64())});
  int64_t sum = 0;
  for (const storage::DataFile& file : main.files()) {
    TableRows reader(main, file, schema);
    while (const auto batch = reader.Next()) {
      const auto& sizes = static_cast<const arrow::Int64Array&>(*batch->column(0));
      if (sizes.null_count() > 0) return -1;
      for (int64_t i = 0; i < sizes.length(); ++i) sum += sizes.Value(i);
    }
  }
  return sum;
}

}  // namespace ariadne::build
