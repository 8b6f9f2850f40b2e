#include "rowgroup/index_table.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <unordered_set>

#include <arrow/array.h>
#include <arrow/array/builder_binary.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "ariadne/errors.h"
#include "storage/delta_table.h"
#include "storage/delta_writer.h"
#include "storage/layout.h"
#include "storage/lost_table.h"

namespace ariadne::rowgroup {
namespace {

using storage::DataFile;
using storage::DeltaTable;
using storage::TableChange;

constexpr char kSchemaJson[] =
    R"({"type":"struct","fields":[)"
    R"({"name":"filename","type":"string","nullable":true,"metadata":{}},)"
    R"({"name":"size","type":"long","nullable":true,"metadata":{}},)"
    R"({"name":"modified_ms","type":"long","nullable":true,"metadata":{}},)"
    R"({"name":"etag","type":"string","nullable":true,"metadata":{}},)"
    R"({"name":"row_group","type":"integer","nullable":true,"metadata":{}},)"
    R"({"name":"target","type":"string","nullable":true,"metadata":{}},)"
    R"({"name":"kind","type":"string","nullable":true,"metadata":{}},)"
    R"({"name":"row_count","type":"long","nullable":true,"metadata":{}},)"
    R"({"name":"distinct_count","type":"long","nullable":true,"metadata":{}},)"
    R"({"name":"values","type":"binary","nullable":true,"metadata":{}},)"
    R"({"name":"checksum","type":"long","nullable":true,"metadata":{}},)"
    R"({"name":"builtAt","type":"timestamp","nullable":true,"metadata":{}}]})";

const std::shared_ptr<arrow::Schema>& RowSchema() {
  static const auto schema = arrow::schema(
      {arrow::field("filename", arrow::utf8()), arrow::field("size", arrow::int64()),
       arrow::field("modified_ms", arrow::int64()), arrow::field("etag", arrow::utf8()),
       arrow::field("row_group", arrow::int32()), arrow::field("target", arrow::utf8()),
       arrow::field("kind", arrow::utf8()), arrow::field("row_count", arrow::int64()),
       arrow::field("distinct_count", arrow::int64()), arrow::field("values", arrow::binary()),
       arrow::field("checksum", arrow::int64()),
       arrow::field("builtAt", arrow::timestamp(arrow::TimeUnit::MICRO, "UTC"))});
  return schema;
}

/// Data files of the table from which on an append merges them all.
constexpr size_t kManyFiles = 32;
/// Bytes of filters in a row group of the table's files.
constexpr int64_t kBatchBytes = 16 << 20;

void Check(const arrow::Status& status) {
  if (!status.ok()) throw StorageError("the row-group indexes: " + status.message());
}

/// How values are hashed, encoded and compared. What another version wrote fails its checksum: its
/// filters would deny what they hold.
constexpr uint64_t kVersion = 2;

/// Over the key too: filters of another row group would be as good as a wrong one.
int64_t ChecksumOf(std::string_view key, int64_t rows, std::optional<int64_t> distinct,
                   std::string_view values) {
  const auto hash = [](const void* bytes, size_t size) {
    return static_cast<int64_t>(XXH64(bytes, size, kVersion));
  };
  const int64_t parts[] = {hash(key.data(), key.size()), rows, distinct.value_or(-1),
                           hash(values.data(), values.size())};
  return hash(parts, sizeof(parts));
}

class RowWriter {
 public:
  explicit RowWriter(const storage::ObjectRef& folder) : writer_(folder, RowSchema()) {}

  void Add(const IndexKey& key, const RowGroupIndex& index) {
    const std::string values = index.EncodeValues();
    Check(filename_.Append(key.file.uri));
    Check(size_.Append(key.file.size));
    Check(modified_.Append(key.file.modified_ms));
    Check(etag_.Append(key.file.etag));
    Check(row_group_.Append(key.row_group));
    Check(target_.Append(key.target));
    Check(kind_.Append(ToString(key.kind)));
    Check(rows_.Append(index.rows));
    Check(index.distinct ? distinct_.Append(*index.distinct) : distinct_.AppendNull());
    Check(values_.Append(values));
    Check(checksum_.Append(ChecksumOf(key.Text(), index.rows, index.distinct, values)));
    Check(built_at_.Append(now_us_));
    ++pending_;
    pending_bytes_ += static_cast<int64_t>(values.size());
    if (pending_bytes_ >= kBatchBytes) Flush();
  }

  DataFile Finish() {
    Flush();
    return writer_.Finish();
  }

 private:
  void Flush() {
    if (pending_ == 0) return;
    arrow::ArrayVector columns;
    for (arrow::ArrayBuilder* builder :
         {static_cast<arrow::ArrayBuilder*>(&filename_), static_cast<arrow::ArrayBuilder*>(&size_),
          static_cast<arrow::ArrayBuilder*>(&modified_), static_cast<arrow::ArrayBuilder*>(&etag_),
          static_cast<arrow::ArrayBuilder*>(&row_group_),
          static_cast<arrow::ArrayBuilder*>(&target_), static_cast<arrow::ArrayBuilder*>(&kind_),
          static_cast<arrow::ArrayBuilder*>(&rows_), static_cast<arrow::ArrayBuilder*>(&distinct_),
          static_cast<arrow::ArrayBuilder*>(&values_),
          static_cast<arrow::ArrayBuilder*>(&checksum_),
          static_cast<arrow::ArrayBuilder*>(&built_at_)}) {
      Check(builder->Finish(&columns.emplace_back()));
    }
    writer_.Write(*arrow::RecordBatch::Make(RowSchema(), pending_, std::move(columns)));
    pending_ = pending_bytes_ = 0;
  }

  storage::DeltaFileWriter writer_;
  arrow::StringBuilder filename_, etag_, target_, kind_;
  arrow::Int64Builder size_, modified_, rows_, distinct_, checksum_;
  arrow::Int32Builder row_group_;
  arrow::BinaryBuilder values_;
  arrow::TimestampBuilder built_at_{RowSchema()->field(11)->type(), arrow::default_memory_pool()};
  const int64_t now_us_ = std::chrono::duration_cast<std::chrono::microseconds>(
                              std::chrono::system_clock::now().time_since_epoch())
                              .count();
  int64_t pending_ = 0;
  int64_t pending_bytes_ = 0;
};

/// The rows of a batch, checked.
class RowReader {
 public:
  explicit RowReader(const arrow::RecordBatch& batch) {
    for (int i = 0; i < kColumns; ++i) {
      const auto& field = RowSchema()->field(i);
      columns_[i] = batch.GetColumnByName(field->name());
      readable_ = readable_ && columns_[i] && columns_[i]->type()->Equals(*field->type());
    }
  }

  /// nullopt: the row is damaged.
  [[nodiscard]] std::optional<std::pair<IndexKey, RowGroupIndex>> Row(int64_t i) const {
    if (!readable_) return std::nullopt;
    for (int column = 0; column < kColumns; ++column) {
      if (column != kDistinct && columns_[column]->IsNull(i)) return std::nullopt;
    }
    IndexKey key;
    key.file = {.uri = std::string(Text(0, i)),
                .size = Long(1, i),
                .modified_ms = Long(2, i),
                .etag = std::string(Text(3, i))};
    key.row_group = static_cast<const arrow::Int32Array&>(*columns_[4]).Value(i);
    key.target = Text(5, i);
    const std::string_view kind = Text(6, i);
    key.kind = kind == ToString(Kind::kRange) ? Kind::kRange : Kind::kBloom;
    std::optional<int64_t> distinct;
    if (!columns_[kDistinct]->IsNull(i)) distinct = Long(kDistinct, i);
    const std::string_view values = static_cast<const arrow::BinaryArray&>(*columns_[9]).GetView(i);
    if (kind != ToString(key.kind) ||
        ChecksumOf(key.Text(), Long(7, i), distinct, values) != Long(10, i)) {
      return std::nullopt;
    }
    auto index = RowGroupIndex::Decode(key.kind, Long(7, i), distinct, values);
    if (!index) return std::nullopt;
    return std::pair(std::move(key), *std::move(index));
  }

 private:
  static constexpr int kColumns = 11;  ///< All but builtAt.
  static constexpr int kDistinct = 8;  ///< NULL: not known.
  [[nodiscard]] std::string_view Text(int column, int64_t i) const {
    return static_cast<const arrow::StringArray&>(*columns_[column]).GetView(i);
  }
  [[nodiscard]] int64_t Long(int column, int64_t i) const {
    return static_cast<const arrow::Int64Array&>(*columns_[column]).Value(i);
  }

  std::shared_ptr<arrow::Array> columns_[kColumns];
  bool readable_ = true;
};

/// By the log; what it does not say counts as none.
int64_t RowsOf(const DeltaTable& table) {
  int64_t rows = 0;
  for (const DataFile& file : table.files()) rows += std::max<int64_t>(file.num_records, 0);
  return rows;
}

IndexTable::ReadReport ReadRows(
    const DeltaTable& table, const std::function<bool(IndexKey key, RowGroupIndex index)>& take) {
  std::vector<std::string> names;
  for (const auto& field : RowSchema()->fields()) names.push_back(field->name());
  names.pop_back();
  IndexTable::ReadReport report;
  const auto reader = table.Read(names);
  for (;;) {
    std::shared_ptr<arrow::RecordBatch> batch;
    const arrow::Status status = reader->ReadNext(&batch);
    if (!status.ok()) {
      std::string failure = status.message();
      while (failure.ends_with('.')) failure.pop_back();
      throw StorageError(failure + ". If that stays so, it is lost. " +
                         storage::HowToBuildAgain(table.folder()));
    }
    if (batch == nullptr) {
      // A damaged footer may hide rows.
      report.damaged = std::max(report.damaged, RowsOf(table) - report.indexes);
      return report;
    }
    const RowReader rows(*batch);
    for (int64_t i = 0; i < batch->num_rows(); ++i) {
      auto row = rows.Row(i);
      if (!row) {
        ++report.damaged;
        continue;
      }
      ++report.indexes;
      if (!take(std::move(row->first), std::move(row->second))) {
        report.stopped = true;
        return report;
      }
    }
  }
}

/// As DeltaTable::Open; a file in the folder's place is no missing table.
std::shared_ptr<DeltaTable> OpenTable(const storage::ObjectRef& folder) {
  auto table = DeltaTable::Open(folder);
  if (table == nullptr && folder.store->Head(folder.path)) {
    throw InvalidDeltaTable(folder.store->base_url() + folder.path +
                            " is a file: move it away, row-group indexes are kept in a folder of "
                            "that name");
  }
  return table;
}

void RemoveAll(const DeltaTable& table, TableChange* change) {
  for (const DataFile& file : table.files()) change->removes.push_back(file.path);
}

}  // namespace

storage::ObjectRef IndexTable::FolderBelow(const storage::ObjectRef& root) {
  return storage::IndexLayout::RowGroupIndexes(root);
}

int64_t IndexTable::Append(const std::vector<StoredIndex>& indexes) {
  if (indexes.empty()) return 0;
  int64_t added = 0;
  DeltaTable::CommitWithRetry(
      folder_, kSchemaJson, [&](const DeltaTable& table) -> std::optional<TableChange> {
        added = 0;
        TableChange change;
        change.operation = "WRITE";
        RowWriter writer(folder_);
        std::unordered_set<std::string> known;
        const bool merge = table.files().size() >= kManyFiles;
        ReadRows(table, [&](const IndexKey& key, const RowGroupIndex& index) {
          if (known.insert(key.Text()).second && merge) writer.Add(key, index);
          return true;
        });
        if (merge) RemoveAll(table, &change);
        for (const StoredIndex& each : indexes) {
          if (!known.insert(each.key.Text()).second) continue;
          writer.Add(each.key, *each.index);
          ++added;
        }
        if (added == 0) return std::nullopt;
        change.adds.push_back(writer.Finish());
        return change;
      });
  return added;
}

IndexTable::ReadReport IndexTable::Read(
    const std::function<bool(IndexKey key, RowGroupIndex index)>& take) const {
  const auto table = OpenTable(folder_);
  if (table == nullptr) return {};
  return ReadRows(*table, take);
}

int64_t IndexTable::Drop(const std::function<bool(const IndexKey&)>& drop) {
  if (OpenTable(folder_) == nullptr) return 0;
  int64_t dropped = 0;
  DeltaTable::CommitWithRetry(
      folder_, kSchemaJson, [&](const DeltaTable& table) -> std::optional<TableChange> {
        dropped = 0;
        TableChange change;
        change.operation = "DELETE";
        RowWriter writer(folder_);
        int64_t kept = 0;
        const auto report = ReadRows(table, [&](const IndexKey& key, const RowGroupIndex& index) {
          if (drop(key)) {
            ++dropped;
          } else {
            writer.Add(key, index);
            ++kept;
          }
          return true;
        });
        dropped += report.damaged;
        if (dropped == 0) return std::nullopt;
        RemoveAll(table, &change);
        if (kept > 0) change.adds.push_back(writer.Finish());
        return change;
      });
  return dropped;
}

std::optional<int64_t> IndexTable::DropAll() {
  try {
    if (OpenTable(folder_) == nullptr) return 0;
    int64_t dropped = 0;
    DeltaTable::CommitWithRetry(folder_, kSchemaJson,
                                [&](const DeltaTable& table) -> std::optional<TableChange> {
                                  dropped = RowsOf(table);
                                  if (table.files().empty()) return std::nullopt;
                                  TableChange change;
                                  change.operation = "DELETE";
                                  RemoveAll(table, &change);
                                  return change;
                                });
    return dropped;
  } catch (const CommitConflict&) {
    throw;
  } catch (const Error&) {
    if (folder_.store->Head(folder_.path)) throw;
  }
  // Its log cannot be read. Nothing is lost with the files but what was to be dropped.
  folder_.store->DeleteFolder(folder_.path);
  return std::nullopt;
}

}  // namespace ariadne::rowgroup
