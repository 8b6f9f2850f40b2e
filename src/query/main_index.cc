#include "query/main_index.h"

#include <algorithm>
#include <numeric>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <arrow/array.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/array/concatenate.h>
#include <arrow/array/util.h>
#include <arrow/compute/api_vector.h>
#include <arrow/record_batch.h>
#include <arrow/table.h>
#include <arrow/type.h>
#include <parquet/arrow/reader.h>
#include <parquet/exception.h>
#include <parquet/file_reader.h>
#include <parquet/metadata.h>
#include <parquet/properties.h>
#include <parquet/schema.h>

#include "query/arrow_check.h"
#include "query/conform.h"
#include "query/parallel_for.h"
#include "source/spark_schema.h"
#include "storage/arrow_io.h"
#include "storage/lost_table.h"

namespace ariadne::query {

namespace {

constexpr char kFilename[] = "filename";
constexpr char kFileSize[] = "file_size";

std::shared_ptr<arrow::Array> OneArray(const arrow::ChunkedArray& column) {
  if (column.num_chunks() == 1) return column.chunk(0);
  if (column.num_chunks() == 0) {
    return Check(arrow::MakeEmptyArray(column.type()), "an empty column");
  }
  return Check<InvalidFile>(arrow::Concatenate(column.chunks()), "joining a row group's cells");
}

/// A data file of a plain table.
class ParquetPart final : public MainIndexPart {
 public:
  ParquetPart(const storage::DataFile& file, storage::ObjectRef object)
      : path_(file.path), object_(std::move(object)), size_(file.size) {
    try {
      input_ = storage::OpenInput(object_, size_ > 0 ? std::optional(size_) : std::nullopt);
      auto reader = parquet::ParquetFileReader::Open(input_, ReaderProperties());
      metadata_ = reader->metadata();
      LoadRows(std::move(reader));
    } catch (const parquet::ParquetException& e) {
      throw InvalidFile(where() + ": " + e.what());
    }
  }

  bool HasColumn(const std::string& storage_column) const override {
    return !Leaves(storage_column).empty();
  }

  std::shared_ptr<arrow::Array> ReadCells(
      const std::string& storage_column, size_t row_group,
      const std::shared_ptr<arrow::DataType>& type) const override {
    try {
      const auto table =
          ReadColumns(parquet::ParquetFileReader::Open(input_, ReaderProperties(), metadata_),
                      Leaves(storage_column), row_group);
      auto cells = Check<InvalidFile>(
          Conform(OneArray(*table->column(0)), type),
          where() + ": column \"" + storage_column + "\" is not of type " + type->ToString());
      if (cells->length() != row_groups()[row_group].num_rows) {
        throw InvalidFile(where() + ": column \"" + storage_column + "\" lacks rows");
      }
      return cells;
    } catch (const parquet::ParquetException& e) {
      throw InvalidFile(where() + ": column \"" + storage_column + "\": " + e.what());
    }
  }

  std::shared_ptr<index::LookupFile> Lookup(const storage::ObjectRef& native_folder,
                                            const std::string& column) const override {
    {
      const std::lock_guard lock(mutex_);
      const auto it = lookups_.find(column);
      if (it != lookups_.end()) return it->second;
    }
    auto lookup = index::LookupFile::Open(index::LookupFile::Path(native_folder, column, path_));
    if (lookup && lookup->num_rows() != num_rows()) lookup = nullptr;
    if (lookup) {
      const std::lock_guard lock(mutex_);
      lookups_[column] = lookup;
    }
    return lookup;
  }

 private:
  static parquet::ReaderProperties ReaderProperties() {
    return parquet::ReaderProperties(arrow::default_memory_pool());
  }

  std::string where() const { return "index file " + object_.store->base_url() + object_.path; }

  /// Parquet leaves below a top-level column.
  std::vector<int> Leaves(const std::string& column) const {
    std::vector<int> leaves;
    const parquet::SchemaDescriptor& schema = *metadata_->schema();
    for (int i = 0; i < schema.num_columns(); ++i) {
      if (schema.GetColumnRoot(i)->name() == column) leaves.push_back(i);
    }
    return leaves;
  }

  std::shared_ptr<arrow::Table> ReadColumns(std::unique_ptr<parquet::ParquetFileReader> file,
                                            const std::vector<int>& leaves,
                                            size_t row_group) const {
    return Check<InvalidFile>(
        ArrowReader(std::move(file))->ReadRowGroup(static_cast<int>(row_group), leaves), where());
  }

  std::unique_ptr<parquet::arrow::FileReader> ArrowReader(
      std::unique_ptr<parquet::ParquetFileReader> file) const {
    parquet::ArrowReaderProperties properties(/*use_threads=*/false);
    // The JVM library writes INT96, whose range nanoseconds do not hold.
    properties.set_coerce_int96_timestamp_unit(arrow::TimeUnit::MICRO);
    // Far away, all ranges are asked for at once; near by, a buffer in between costs a copy.
    properties.set_pre_buffer(!object_.store->is_local());
    return Check<InvalidFile>(
        parquet::arrow::FileReader::Make(arrow::default_memory_pool(), std::move(file), properties),
        where());
  }

  void LoadRows(std::unique_ptr<parquet::ParquetFileReader> file) {
    const std::vector<int> name_leaf = Leaves(kFilename);
    const std::vector<int> size_leaf = Leaves(kFileSize);
    if (name_leaf.size() != 1 || size_leaf.size() > 1) {
      throw InvalidFile(where() + ": no column \"filename\"; it is no part of a main index");
    }
    std::vector<int> leaves = name_leaf;
    leaves.insert(leaves.end(), size_leaf.begin(), size_leaf.end());
    std::sort(leaves.begin(), leaves.end());
    const auto table = Check<InvalidFile>(ArrowReader(std::move(file))->ReadTable(leaves), where());
    const auto names = Check<InvalidFile>(
        Conform(OneArray(*table->GetColumnByName(kFilename)), arrow::utf8()), where());
    std::shared_ptr<arrow::Array> sizes;
    if (!size_leaf.empty()) {
      sizes = Check<InvalidFile>(
          Conform(OneArray(*table->GetColumnByName(kFileSize)), arrow::int64()), where());
    }
    std::vector<int64_t> group_rows;
    for (int i = 0; i < metadata_->num_row_groups(); ++i) {
      group_rows.push_back(metadata_->RowGroup(i)->num_rows());
    }
    if (std::accumulate(group_rows.begin(), group_rows.end(), int64_t{0}) != names->length()) {
      throw InvalidFile(where() + ": its footer counts other rows than it has");
    }
    SetRows(names, sizes.get(), group_rows);
  }

  std::string path_;
  storage::ObjectRef object_;
  int64_t size_;
  std::shared_ptr<arrow::io::RandomAccessFile> input_;
  std::shared_ptr<parquet::FileMetaData> metadata_;
  mutable std::mutex mutex_;
  mutable std::map<std::string, std::shared_ptr<index::LookupFile>> lookups_;
};

/// A table with deletion vectors or column mapping: its rows come through the kernel, which
/// promises no order, so every reading carries the names and is put in the order of the first.
class KernelPart final : public MainIndexPart {
 public:
  explicit KernelPart(std::shared_ptr<storage::DeltaTable> table) : table_(std::move(table)) {
    const bool sized = HasColumn(kFileSize);
    std::vector<std::string> columns = {kFilename};
    if (sized) columns.emplace_back(kFileSize);
    const auto rows = ReadAll(columns);
    const auto names =
        Check<InvalidFile>(Conform(OneArray(*rows->column(0)), arrow::utf8()), where());
    std::shared_ptr<arrow::Array> sizes;
    if (sized) {
      sizes = Check<InvalidFile>(Conform(OneArray(*rows->column(1)), arrow::int64()), where());
    }
    SetRows(names, sizes.get(), {names->length()});
  }

  bool HasColumn(const std::string& storage_column) const override {
    return source::FromSparkJson(table_->schema_json())->GetFieldIndex(storage_column) >= 0;
  }

  std::shared_ptr<arrow::Array> ReadCells(
      const std::string& storage_column, size_t /*row_group*/,
      const std::shared_ptr<arrow::DataType>& type) const override {
    const auto rows = ReadAll({kFilename, storage_column});
    const auto names =
        Check<InvalidFile>(Conform(OneArray(*rows->column(0)), arrow::utf8()), where());
    const auto& read = static_cast<const arrow::StringArray&>(*names);
    return Check<InvalidFile>(
        Conform(InOrderOfFirstReading(read, OneArray(*rows->column(1))), type), where());
  }

  std::shared_ptr<index::LookupFile> Lookup(const storage::ObjectRef&,
                                            const std::string&) const override {
    return nullptr;
  }

 private:
  std::string where() const {
    return "index table " + table_->folder().store->base_url() + table_->folder().path;
  }

  std::shared_ptr<arrow::Array> InOrderOfFirstReading(
      const arrow::StringArray& names, const std::shared_ptr<arrow::Array>& cells) const {
    bool same = names.length() == num_rows();
    for (int64_t i = 0; same && i < num_rows(); ++i) same = names.GetView(i) == filename(i);
    if (same) return cells;
    std::unordered_multimap<std::string_view, int64_t> places;
    for (int64_t i = 0; i < names.length(); ++i) places.emplace(names.GetView(i), i);
    arrow::Int64Builder order;
    for (int64_t row = 0; row < num_rows(); ++row) {
      const auto place = places.find(filename(row));
      if (place == places.end()) throw InvalidFile(where() + ": two readings of it differ");
      Check(order.Append(place->second), where());
      places.erase(place);
    }
    return Check(arrow::compute::Take(*cells, *Check(order.Finish(), where())), where());
  }

  std::shared_ptr<arrow::Table> ReadAll(const std::vector<std::string>& columns) const {
    return Check<InvalidFile>(table_->Read(columns)->ToTable(), where());
  }

  std::shared_ptr<storage::DeltaTable> table_;
};

}  // namespace

std::string_view MainIndexPart::filename(int64_t row) const { return names_->GetView(row); }

void MainIndexPart::SetRows(const std::shared_ptr<arrow::Array>& names, const arrow::Array* sizes,
                            const std::vector<int64_t>& group_rows) {
  names_ = std::static_pointer_cast<arrow::StringArray>(names);
  int64_t first = 0;
  for (const int64_t rows : group_rows) {
    row_groups_.push_back({first, rows});
    first += rows;
  }
  file_sizes_.reserve(names->length());
  for (int64_t i = 0; i < names->length(); ++i) {
    const bool known = sizes != nullptr && sizes->IsValid(i);
    file_sizes_.push_back(known ? static_cast<const arrow::Int64Array*>(sizes)->Value(i) : -1);
  }
}

std::shared_ptr<const MainIndex> MainIndex::Load(std::shared_ptr<storage::DeltaTable> table,
                                                 const MainIndex* previous, int threads,
                                                 const std::set<std::string>* only) {
  auto index = std::make_shared<MainIndex>();
  index->table_ = table;
  if (!table->is_plain()) {
    index->parts_.push_back(std::make_shared<KernelPart>(std::move(table)));
    return index;
  }
  const std::vector<storage::DataFile>& files = table->files();
  std::vector<std::shared_ptr<const MainIndexPart>> loaded(files.size());
  std::mutex mutex;
  ParallelFor(files.size(), threads, [&](size_t i) {
    if (only != nullptr && !only->contains(files[i].path)) return;
    if (previous != nullptr) {
      const auto known = previous->by_path_.find(files[i].path);
      if (known != previous->by_path_.end()) {
        loaded[i] = known->second;
        return;
      }
    }
    try {
      loaded[i] = std::make_shared<ParquetPart>(files[i], table->FileRef(files[i].path));
    } catch (const Error& e) {
      const std::lock_guard lock(mutex);
      index->failure_ = storage::LossOf(e, table->folder());
    }
  });
  for (size_t i = 0; i < files.size(); ++i) {
    if (!loaded[i]) continue;
    index->parts_.push_back(loaded[i]);
    index->by_path_[files[i].path] = loaded[i];
  }
  return index;
}

}  // namespace ariadne::query
