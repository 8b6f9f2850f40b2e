#include "legacy_layout.h"

#include <filesystem>
#include <functional>
#include <string>

#include <arrow/record_batch.h>
#include <arrow/table.h>
#include <arrow/type.h>

#include "source/spark_schema.h"
#include "storage/delta_writer.h"

namespace ariadne::testing {

namespace {

using Change = std::function<std::shared_ptr<arrow::Table>(std::shared_ptr<arrow::Table>)>;

void Rewrite(const storage::ObjectRef& folder, const Change& make) {
  const auto table = storage::DeltaTable::Open(folder);
  if (table == nullptr) return;
  const auto rows = make(TestLake::Rows(*table));
  storage::TableChange change;
  change.operation = "WRITE";
  change.schema_json = source::ToSparkJson(*rows->schema());
  if (rows->num_rows() > 0) {
    storage::DeltaFileWriter writer(folder, rows->schema());
    writer.Write(*rows->CombineChunksToBatch().ValueOrDie());
    change.adds = {writer.Finish()};
  }
  for (const auto& file : table->files()) change.removes.push_back(file.path);
  table->Commit(change);
}

std::shared_ptr<arrow::Table> Renamed(const std::shared_ptr<arrow::Table>& rows,
                                      const std::string& from, const std::string& to) {
  arrow::FieldVector fields = rows->schema()->fields();
  for (auto& field : fields) {
    if (field->name() == from) field = field->WithName(to);
  }
  return arrow::Table::Make(arrow::schema(fields), rows->columns());
}

std::shared_ptr<arrow::Table> Without(std::shared_ptr<arrow::Table> rows,
                                      const std::string& prefix) {
  for (int i = rows->num_columns() - 1; i >= 0; --i) {
    if (rows->field(i)->name().starts_with(prefix)) rows = rows->RemoveColumn(i).ValueOrDie();
  }
  return rows;
}

}  // namespace

void MakeLegacy(TestLake* lake, int storage_version) {
  const storage::IndexLayout& layout = lake->layout();
  storage::IndexMetadata metadata = lake->Metadata();
  const auto rewrite_rows = [&](const Change& make) {
    Rewrite(layout.main_index(), make);
    Rewrite(layout.staging(), make);
  };
  if (storage_version < 4) {
    rewrite_rows([](auto rows) { return Without(std::move(rows), "auto_bloom_"); });
    metadata.auto_bloom.clear();
    for (const std::string& column : metadata.regular) {
      Rewrite(layout.large_index(column),
              [&](const auto& rows) { return Renamed(rows, column, "value"); });
    }
  }
  if (storage_version < 3) {
    for (const auto& field : metadata.exploded) {
      rewrite_rows(
          [&](const auto& rows) { return Renamed(rows, field.as_column, field.array_column); });
      Rewrite(layout.large_index(field.as_column),
              [&](const auto& rows) { return Renamed(rows, field.as_column, field.array_column); });
      const std::filesystem::path from = "/" + layout.large_index(field.as_column).path;
      if (std::filesystem::exists(from)) {
        std::filesystem::rename(from, "/" + layout.large_index(field.array_column).path);
      }
    }
  }
  if (storage_version < 2) {
    rewrite_rows([](auto rows) { return Without(std::move(rows), "file_size"); });
    metadata.total_indexed_file_size = -1;
  }
  metadata.storage_format_version = storage_version;
  metadata.Write(layout.metadata());
}

}  // namespace ariadne::testing
