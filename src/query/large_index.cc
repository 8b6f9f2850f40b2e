#include "query/large_index.h"

#include <algorithm>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <arrow/table.h>
#include <arrow/type.h>
#include <parquet/arrow/reader.h>
#include <parquet/exception.h>
#include <parquet/file_reader.h>
#include <parquet/metadata.h>
#include <parquet/properties.h>
#include <parquet/schema.h>
#include <parquet/statistics.h>

#include "ariadne/errors.h"
#include "index/column_index.h"
#include "query/arrow_check.h"
#include "query/conform.h"
#include "query/parallel_for.h"
#include "source/spark_schema.h"
#include "storage/arrow_io.h"
#include "storage/lost_table.h"

namespace ariadne::query {

namespace {

constexpr char kFilename[] = "filename";

/// What is read of every row group.
struct Request {
  std::shared_ptr<arrow::DataType> entry;
  std::string value_column;
  std::string_view smallest_name, largest_name;
};

/// Answers so far. Thread-safe.
class Answers {
 public:
  void Add(std::string_view name, bool holds) {
    const std::lock_guard lock(mutex_);
    auto [it, inserted] = holds_.emplace(std::string(name), holds);
    if (!inserted) it->second = it->second || holds;
  }
  std::unordered_map<std::string, bool> Take() { return std::move(holds_); }

 private:
  std::mutex mutex_;
  std::unordered_map<std::string, bool> holds_;
};

/// Adds what these rows say.
void AnswerRows(const std::unordered_set<uint64_t>& wanted,
                const std::unordered_set<std::string_view>& candidates,
                const arrow::StringArray& names, const arrow::Array& values, Answers& answers) {
  const std::vector<uint64_t> hashes = index::HashValues(values);
  // Rows of a file lie together: one look-up a run instead of one a row.
  for (int64_t begin = 0; begin < names.length();) {
    const std::string_view name = names.GetView(begin);
    int64_t end = begin + 1;
    while (end < names.length() && names.GetView(end) == name) ++end;
    if (candidates.contains(name)) {
      bool holds = false;
      for (int64_t i = begin; !holds && i < end; ++i) {
        holds = values.IsValid(i) && wanted.contains(hashes[i]);
      }
      answers.Add(name, holds);
    }
    begin = end;
  }
}

void VisitRows(const Request& request, const std::shared_ptr<arrow::Array>& names,
               const std::shared_ptr<arrow::Array>& entries, const LargeIndex::Visit& visit) {
  const auto text = Check<InvalidFile>(Conform(names, arrow::utf8()), "names of a large index");
  visit(static_cast<const arrow::StringArray&>(*text),
        Check<InvalidFile>(Conform(entries, request.entry), "values of a large index"));
}

/// False only where the statistics prove that no candidate's name is in the row group.
bool MayHoldCandidate(const Request& request, const parquet::ColumnChunkMetaData& chunk) {
  const auto statistics = chunk.is_stats_set() ? chunk.statistics() : nullptr;
  if (!statistics || !statistics->HasMinMax()) return true;
  return std::string_view(statistics->EncodeMin()) <= request.largest_name &&
         std::string_view(statistics->EncodeMax()) >= request.smallest_name;
}

class LargeFile {
 public:
  LargeFile(const storage::DeltaTable& table, const storage::DataFile& file)
      : where_("large index file " + UrlOf(table.FileRef(file.path))),
        input_(storage::OpenInput(table.FileRef(file.path), file.size)) {}

  void Read(const Request& request, const LargeIndex::Visit& visit) const {
    try {
      auto file = parquet::ParquetFileReader::Open(input_);
      const auto metadata = file->metadata();
      std::vector<int> leaves = Leaves(*metadata, kFilename);
      const int name_leaf = leaves.front();
      for (const int leaf : Leaves(*metadata, request.value_column)) leaves.push_back(leaf);
      parquet::ArrowReaderProperties properties(/*use_threads=*/false);
      properties.set_coerce_int96_timestamp_unit(arrow::TimeUnit::MICRO);
      properties.set_pre_buffer(false);
      properties.set_batch_size(1 << 16);
      const auto reader =
          Check<InvalidFile>(parquet::arrow::FileReader::Make(arrow::default_memory_pool(),
                                                              std::move(file), properties),
                             where_);
      std::vector<int> groups;
      for (int g = 0; g < metadata->num_row_groups(); ++g) {
        if (MayHoldCandidate(request, *metadata->RowGroup(g)->ColumnChunk(name_leaf))) {
          groups.push_back(g);
        }
      }
      std::sort(leaves.begin(), leaves.end());
      const auto rows = Check<InvalidFile>(reader->GetRecordBatchReader(groups, leaves), where_);
      std::shared_ptr<arrow::RecordBatch> batch;
      while (Check<InvalidFile>(rows->ReadNext(&batch), where_), batch != nullptr) {
        VisitRows(request, batch->GetColumnByName(kFilename),
                  batch->GetColumnByName(request.value_column), visit);
      }
    } catch (const parquet::ParquetException& e) {
      throw InvalidFile(where_ + ": " + e.what());
    }
  }

 private:
  /// Parquet leaves below a top-level column.
  std::vector<int> Leaves(const parquet::FileMetaData& metadata, const std::string& column) const {
    std::vector<int> leaves;
    for (int i = 0; i < metadata.schema()->num_columns(); ++i) {
      if (metadata.schema()->GetColumnRoot(i)->name() == column) leaves.push_back(i);
    }
    if (leaves.empty()) throw InvalidFile(where_ + ": no column \"" + column + "\"");
    return leaves;
  }

  static std::string UrlOf(const storage::ObjectRef& object) {
    return object.store->base_url() + object.path;
  }

  std::string where_;
  std::shared_ptr<arrow::io::RandomAccessFile> input_;
};

/// The column that is not the name: older tables call it otherwise than the index column.
std::string ValueColumn(const storage::DeltaTable& table) {
  const auto schema = source::FromSparkJson(table.schema_json());
  for (const auto& field : schema->fields()) {
    if (field->name() != kFilename) return field->name();
  }
  throw InvalidDeltaTable("large index table " + table.folder().path + " has no value column");
}

}  // namespace

std::shared_ptr<LargeIndex> LargeIndex::Open(const storage::IndexLayout& layout,
                                             const std::string& column) {
  auto table = storage::DeltaTable::Open(layout.large_index(column));
  if (!table) return nullptr;
  return std::shared_ptr<LargeIndex>(new LargeIndex(std::move(table)));
}

std::unordered_map<std::string, bool> LargeIndex::Ask(
    const std::shared_ptr<arrow::DataType>& type, const arrow::Array& values,
    const std::unordered_set<std::string_view>& candidates, int threads) const {
  Answers answers;
  std::unordered_set<uint64_t> wanted;
  for (const uint64_t hash : index::HashValues(values)) wanted.insert(hash);
  Read(type, candidates, threads,
       [&](const arrow::StringArray& names, const std::shared_ptr<arrow::Array>& entries) {
         AnswerRows(wanted, candidates, names, *entries, answers);
       });
  return answers.Take();
}

void LargeIndex::Read(const std::shared_ptr<arrow::DataType>& entry,
                      const std::unordered_set<std::string_view>& candidates, int threads,
                      const Visit& visit) const {
  if (candidates.empty()) return;
  Request request;
  request.entry = entry;
  request.value_column = ValueColumn(*table_);
  const auto [smallest, largest] = std::minmax_element(candidates.begin(), candidates.end());
  request.smallest_name = *smallest;
  request.largest_name = *largest;
  if (!table_->is_plain()) {
    const auto rows = table_->Read({kFilename, request.value_column});
    std::shared_ptr<arrow::RecordBatch> batch;
    while (Check<InvalidFile>(rows->ReadNext(&batch), "reading a large index"), batch != nullptr) {
      VisitRows(request, batch->column(0), batch->column(1), visit);
    }
    return;
  }
  ParallelFor(table_->files().size(), threads, [&](size_t i) {
    try {
      LargeFile(*table_, table_->files()[i]).Read(request, visit);
    } catch (const Error& error) {
      throw InvalidFile(storage::LossOf(error, table_->folder()));
    }
  });
}

}  // namespace ariadne::query
