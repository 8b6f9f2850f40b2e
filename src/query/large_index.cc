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
#include <parquet/statistics.h>

#include "ariadne/errors.h"
#include "index/column_index.h"
#include "query/arrow_check.h"
#include "query/conform.h"
#include "query/parallel_for.h"
#include "source/spark_schema.h"
#include "storage/arrow_io.h"

namespace ariadne::query {

namespace {

constexpr char kFilename[] = "filename";

/// What is asked of every row group.
struct Question {
  std::shared_ptr<arrow::DataType> type;
  std::unordered_set<uint64_t> hashes;
  const std::unordered_set<std::string_view>* candidates = nullptr;
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

/// Adds what these rows say; `values` may be nullptr where none of them can be asked for.
void AnswerRows(const Question& question, const std::shared_ptr<arrow::Array>& names,
                const std::shared_ptr<arrow::Array>& values, Answers& answers) {
  const auto text = std::static_pointer_cast<arrow::StringArray>(
      Check<InvalidFile>(Conform(names, arrow::utf8()), "names of a large index"));
  std::vector<uint64_t> hashes;
  if (values) {
    hashes = index::HashValues(
        *Check<InvalidFile>(Conform(values, question.type), "values of a large index"));
  }
  // Rows of a file lie together: one look-up a run instead of one a row.
  for (int64_t begin = 0; begin < text->length();) {
    const std::string_view name = text->GetView(begin);
    int64_t end = begin + 1;
    while (end < text->length() && text->GetView(end) == name) ++end;
    if (question.candidates->contains(name)) {
      bool holds = false;
      for (int64_t i = begin; !holds && values && i < end; ++i) {
        holds = values->IsValid(i) && question.hashes.contains(hashes[i]);
      }
      answers.Add(name, holds);
    }
    begin = end;
  }
}

/// False only where the statistics prove that no candidate's name is in the row group.
bool MayHoldCandidate(const Question& question, const parquet::ColumnChunkMetaData& chunk) {
  const auto statistics = chunk.is_stats_set() ? chunk.statistics() : nullptr;
  if (!statistics || !statistics->HasMinMax()) return true;
  return std::string_view(statistics->EncodeMin()) <= question.largest_name &&
         std::string_view(statistics->EncodeMax()) >= question.smallest_name;
}

class LargeFile {
 public:
  LargeFile(const storage::DeltaTable& table, const storage::DataFile& file)
      : where_("large index file " + table.FileRef(file.path).path),
        input_(storage::OpenInput(table.FileRef(file.path), file.size)) {}

  void Ask(const Question& question, const std::string& value_column, Answers& answers) const {
    try {
      auto file = parquet::ParquetFileReader::Open(input_);
      const auto metadata = file->metadata();
      const int name_leaf = Leaf(*metadata, kFilename);
      const int value_leaf = Leaf(*metadata, value_column);
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
        if (MayHoldCandidate(question, *metadata->RowGroup(g)->ColumnChunk(name_leaf))) {
          groups.push_back(g);
        }
      }
      std::vector<int> leaves = {name_leaf, value_leaf};
      std::sort(leaves.begin(), leaves.end());
      const auto rows = Check<InvalidFile>(reader->GetRecordBatchReader(groups, leaves), where_);
      std::shared_ptr<arrow::RecordBatch> batch;
      while (Check<InvalidFile>(rows->ReadNext(&batch), where_), batch != nullptr) {
        AnswerRows(question, batch->GetColumnByName(kFilename),
                   batch->GetColumnByName(value_column), answers);
      }
    } catch (const parquet::ParquetException& e) {
      throw InvalidFile(where_ + ": " + e.what());
    }
  }

 private:
  int Leaf(const parquet::FileMetaData& metadata, const std::string& column) const {
    for (int i = 0; i < metadata.schema()->num_columns(); ++i) {
      const auto path = metadata.schema()->Column(i)->path()->ToDotVector();
      if (path.size() == 1 && path[0] == column) return i;
    }
    throw InvalidFile(where_ + ": no plain column \"" + column + "\"");
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
  if (candidates.empty()) return answers.Take();
  Question question;
  question.type = type;
  for (const uint64_t hash : index::HashValues(values)) question.hashes.insert(hash);
  question.candidates = &candidates;
  const auto [smallest, largest] = std::minmax_element(candidates.begin(), candidates.end());
  question.smallest_name = *smallest;
  question.largest_name = *largest;
  const std::string value_column = ValueColumn(*table_);

  if (!table_->is_plain()) {
    const auto rows = table_->Read({kFilename, value_column});
    std::shared_ptr<arrow::RecordBatch> batch;
    while (Check<InvalidFile>(rows->ReadNext(&batch), "reading a large index"), batch != nullptr) {
      AnswerRows(question, batch->column(0), batch->column(1), answers);
    }
    return answers.Take();
  }
  ParallelFor(table_->files().size(), threads, [&](size_t i) {
    LargeFile(*table_, table_->files()[i]).Ask(question, value_column, answers);
  });
  return answers.Take();
}

}  // namespace ariadne::query
