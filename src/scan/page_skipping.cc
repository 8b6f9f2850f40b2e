#include "scan/page_skipping.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "duckdb/common/exception.hpp"
#include "reader/list_column_reader.hpp"
#include "reader/struct_column_reader.hpp"
#include "thrift/protocol/TCompactProtocol.h"

namespace ariadne::scan {

namespace {

using duckdb::ColumnReader;
using duckdb::data_ptr_t;
using duckdb::idx_t;
using duckdb::SelectionVector;
using duckdb::TableFilter;
using duckdb::TableFilterState;
using duckdb::ThriftFileTransport;
using duckdb::Vector;
using duckdb_parquet::PageType;
using ColumnChunks = duckdb::vector<duckdb_parquet::ColumnChunk>;
using Protocol = duckdb_apache::thrift::protocol::TCompactProtocolT<duckdb::ThriftFileTransport>;

/// The contents of a page as they are in the file.
struct PageContents {
  idx_t offset = 0;
  std::vector<uint8_t> bytes;
};

/// Reads the pages of a column chunk; where it is told to, not one after the other.
class PageTransport final : public ThriftFileTransport {
 public:
  enum class Last { kKeep, kUse };
  /// `last`: of two readers of one chunk, what the one reads last and keeps there, the other need
  /// not read again. nullptr: there is only one.
  PageTransport(duckdb::CachingFileHandle& file, std::shared_ptr<PageContents> last, Last does)
      : ThriftFileTransport(file, false), last_(std::move(last)), does_(does) {}

  /// Goes on at `to` once what ends at `from` was read: the engine takes the first data page to
  /// follow the dictionary.
  void JumpOnce(idx_t from, idx_t to) {
    from_ = from;
    to_ = to;
  }
  // Pages' contents are read through this, their headers are not.
  uint32_t read_virt(uint8_t* bytes, uint32_t count) override {
    ReadContents(bytes, count);
    if (GetLocation() == from_) {
      SetLocation(to_);
      from_ = kNowhere;
    }
    return count;
  }

 private:
  void ReadContents(uint8_t* bytes, uint32_t count) {
    const idx_t offset = GetLocation();
    if (last_ && last_->offset == offset && last_->bytes.size() == count) {
      std::copy_n(last_->bytes.data(), count, bytes);
      SetLocation(offset + count);
      return;
    }
    ThriftFileTransport::read(bytes, count);
    if (last_ && does_ == Last::kKeep) *last_ = {offset, {bytes, bytes + count}};
  }

  static constexpr idx_t kNowhere = std::numeric_limits<idx_t>::max();
  idx_t from_ = kNowhere;
  idx_t to_ = 0;
  std::shared_ptr<PageContents> last_;
  Last does_;
};

/// Where the engine begins to read the chunk: the footers of some writers give 0 for a dictionary.
idx_t BeginOf(const duckdb_parquet::ColumnMetaData& chunk) {
  const bool has_dictionary =
      chunk.__isset.dictionary_page_offset && chunk.dictionary_page_offset >= 4;
  return static_cast<idx_t>(has_dictionary ? chunk.dictionary_page_offset : chunk.data_page_offset);
}

/// The data pages of a column chunk, found by their headers as far as somebody asked. A value is
/// what has levels: NULL is one, and an empty list.
class PageIndex {
 public:
  struct Page {
    idx_t offset = 0;   ///< Of its header, in the file.
    int64_t first = 0;  ///< Place of its first value in the chunk.
    int64_t values = 0;
    [[nodiscard]] int64_t end() const { return first + values; }
  };

  PageIndex(const duckdb::ParquetReader& reader, duckdb::CachingFileHandle& file,
            const duckdb_parquet::ColumnMetaData& chunk)
      : reader_(reader),
        transport_(std::make_shared<ThriftFileTransport>(file, false)),
        protocol_(transport_),
        next_(BeginOf(chunk)),
        end_(next_ + static_cast<idx_t>(chunk.total_compressed_size)) {}

  /// Place of the page that holds the value; nullopt: the headers do not tell.
  std::optional<size_t> Find(int64_t value) {
    while (pages_.empty() || pages_.back().end() <= value) {
      if (!ReadHeader()) return std::nullopt;
    }
    const auto after =
        std::upper_bound(pages_.begin(), pages_.end(), value,
                         [](int64_t wanted, const Page& page) { return wanted < page.first; });
    return static_cast<size_t>(std::prev(after) - pages_.begin());
  }
  [[nodiscard]] const Page& operator[](size_t place) const { return pages_[place]; }
  /// Where the dictionary ends that comes before the first page; 0: there is none.
  [[nodiscard]] idx_t dictionary_end() const { return dictionary_end_; }

 private:
  bool ReadHeader() {
    // Almost all are shorter; the rest of a longer one is read bit by bit.
    constexpr idx_t kHeaderBytes = 256;
    if (next_ >= end_) return false;
    transport_->SetLocation(next_);
    transport_->Prefetch(next_, std::min(kHeaderBytes, transport_->GetSize() - next_));
    duckdb_parquet::PageHeader header;
    reader_.Read(header, protocol_);
    transport_->ClearPrefetch();
    if (header.compressed_page_size < 0) return false;
    const idx_t begin = next_;
    next_ = transport_->GetLocation() + static_cast<idx_t>(header.compressed_page_size);
    switch (header.type) {
      case PageType::DATA_PAGE:
        return Add(begin, header.data_page_header.num_values);
      case PageType::DATA_PAGE_V2:
        return Add(begin, header.data_page_header_v2.num_values);
      case PageType::DICTIONARY_PAGE:
        if (!pages_.empty() || dictionary_end_ != 0) return false;
        dictionary_end_ = next_;
        return true;
      default:
        return true;
    }
  }
  bool Add(idx_t offset, int64_t values) {
    if (values < 0) return false;
    if (values > 0) pages_.push_back({offset, pages_.empty() ? 0 : pages_.back().end(), values});
    return true;
  }

  const duckdb::ParquetReader& reader_;
  std::shared_ptr<ThriftFileTransport> transport_;
  Protocol protocol_;
  idx_t next_;
  const idx_t end_;
  idx_t dictionary_end_ = 0;
  std::vector<Page> pages_;
};

/// Of a column's children, those that are read; empty: all.
using Wanted = duckdb::vector<duckdb::ColumnIndex>;

Wanted::const_iterator FindWanted(const Wanted& wanted, idx_t child) {
  return std::find_if(wanted.begin(), wanted.end(), [child](const auto& each) {
    return !each.IsVirtualColumn() && each.GetPrimaryIndex() == child;
  });
}
bool IsWanted(const Wanted& wanted, idx_t child) {
  return wanted.empty() || FindWanted(wanted, child) != wanted.end();
}
Wanted WantedBelow(const Wanted& wanted, idx_t child) {
  const auto found = FindWanted(wanted, child);
  return found == wanted.end() ? Wanted() : found->GetChildIndexes();
}

/// What the columns of a scan share.
struct OpenFile {
  duckdb::CachingFileHandle* handle;      ///< nullptr: pages are not skipped.
  const duckdb_parquet::RowGroup* group;  ///< The one that is read.
  /// Chunks of one row group as the engine is told of them; empty: it was told of none.
  std::shared_ptr<ColumnChunks> moved;
};

/// A reader of one column's values that remembers how many to skip until some are wanted again, and
/// then has the engine's reader go on at their page, as though its chunk began there.
class SkippingReader final : public ColumnReader {
 public:
  /// `last`: of PageTransport.
  SkippingReader(const duckdb::ParquetReader& reader, const OpenFile& file,
                 const duckdb::ParquetColumnSchema& schema,
                 std::shared_ptr<PageContents> last = nullptr)
      : ColumnReader(reader, schema), file_(file), column_(CreateReader(reader, schema)) {
    if (!file.handle) return;
    transport_ =
        std::make_shared<PageTransport>(*file.handle, std::move(last), PageTransport::Last::kUse);
    own_protocol_ = std::make_unique<Protocol>(transport_);
  }

  void InitializeRead(idx_t row_group, const ColumnChunks& chunks,
                      duckdb_apache::thrift::protocol::TProtocol& protocol) override {
    position_ = skipped_ = 0;
    row_group_ = row_group;
    chunk_ = &chunks[ColumnIndex()];
    if (!file_.handle) return column_->InitializeRead(row_group, chunks, protocol);
    column_->InitializeRead(row_group, chunks, *own_protocol_);
    pages_ = std::make_unique<PageIndex>(Reader(), *file_.handle, chunk_->meta_data);
  }
  idx_t Read(uint64_t count, data_ptr_t defines, data_ptr_t repeats, Vector& result) override {
    CatchUp(defines, repeats, result);
    const idx_t got = column_->Read(count, defines, repeats, result);
    position_ += static_cast<int64_t>(count);
    return got;
  }
  void Select(uint64_t count, data_ptr_t defines, data_ptr_t repeats, Vector& result,
              const SelectionVector& rows, idx_t selected) override {
    CatchUp(defines, repeats, result);
    column_->Select(count, defines, repeats, result, rows, selected);
    position_ += static_cast<int64_t>(count);
  }
  void Filter(uint64_t count, data_ptr_t defines, data_ptr_t repeats, Vector& result,
              const TableFilter& filter, TableFilterState& state, SelectionVector& rows,
              idx_t& passed, bool is_first) override {
    CatchUp(defines, repeats, result);
    column_->Filter(count, defines, repeats, result, filter, state, rows, passed, is_first);
    position_ += static_cast<int64_t>(count);
  }
  void Skip(idx_t count) override { skipped_ += static_cast<int64_t>(count); }

  idx_t FileOffset() const override { return column_->FileOffset(); }
  uint64_t TotalCompressedSize() override { return column_->TotalCompressedSize(); }
  idx_t GroupRowsAvailable() override {
    return column_->GroupRowsAvailable() - static_cast<idx_t>(skipped_);
  }
  void RegisterPrefetch(ThriftFileTransport& transport, bool allow_merge) override {
    column_->RegisterPrefetch(transport, allow_merge);
  }

  /// Whether the row is likely to begin in a page behind the first.
  bool IsBehindFirstPage(int64_t row) {
    const double values = static_cast<double>(chunk_->meta_data.num_values) /
                          static_cast<double>(std::max<int64_t>(file_.group->num_rows, 1));
    const auto value = static_cast<int64_t>(static_cast<double>(row) * values);
    return pages_->Find(value).value_or(0) > 0;
  }

 private:
  /// Before values are read: past those that were skipped. `result`: not written to.
  void CatchUp(data_ptr_t defines, data_ptr_t repeats, Vector& result) {
    if (skipped_ == 0) return;
    const int64_t target = position_ + skipped_;
    // Without room for levels the engine would not skip to the end of a page yet.
    const auto wanted = pages_ && defines && repeats ? pages_->Find(target) : std::nullopt;
    if (wanted) {
      const auto here = *pages_->Find(position_);
      // A page of which a part was read lies unpacked: the engine must come to its end.
      const bool in_page = (*pages_)[here].first < position_;
      if (*wanted > here + (in_page ? 1 : 0)) {
        if (in_page) {
          Forward((*pages_)[here].end() - position_);
          column_->Read(0, defines, repeats, result);
        }
        GoTo((*pages_)[*wanted]);
      }
    }
    Forward(target - position_);
    position_ = target;
    skipped_ = 0;
  }

  /// Lets the engine's reader skip values, at the latest as it reads on.
  void Forward(int64_t count) {
    if (Type().id() != duckdb::LogicalTypeId::SQLNULL) {
      return column_->Skip(static_cast<idx_t>(count));
    }
    // That of columns of no type can read alone.
    std::vector<uint8_t> defines(STANDARD_VECTOR_SIZE), repeats(STANDARD_VECTOR_SIZE);
    Vector nulls(Type());
    for (int64_t left = count; left > 0; left -= STANDARD_VECTOR_SIZE) {
      column_->Read(static_cast<uint64_t>(std::min<int64_t>(left, STANDARD_VECTOR_SIZE)),
                    defines.data(), repeats.data(), nulls);
    }
  }

  void GoTo(const PageIndex::Page& page) {
    auto& moved = *file_.moved;
    // Readers keep pointers to what is in it.
    if (moved.empty()) moved.resize(file_.group->columns.size());
    auto& chunk = moved[ColumnIndex()];
    chunk = *chunk_;
    chunk.meta_data.num_values -= page.first;
    if (position_ == 0 && pages_->dictionary_end() != 0) {
      transport_->JumpOnce(pages_->dictionary_end(), page.offset);
    } else {
      chunk.meta_data.__isset.dictionary_page_offset = false;
      chunk.meta_data.data_page_offset = static_cast<int64_t>(page.offset);
    }
    column_->InitializeRead(row_group_, moved, *own_protocol_);
    position_ = page.first;
  }

  const OpenFile file_;
  duckdb::unique_ptr<ColumnReader> column_;
  std::shared_ptr<PageTransport> transport_;
  std::unique_ptr<Protocol> own_protocol_;
  idx_t row_group_ = 0;
  const duckdb_parquet::ColumnChunk* chunk_ = nullptr;
  std::unique_ptr<PageIndex> pages_;  ///< nullptr: they are not skipped.
  int64_t position_ = 0;              ///< Of the engine's reader, with what it was told to skip.
  int64_t skipped_ = 0;               ///< Values from there that it was not told of.
};

/// A reader of lists and maps. A page does not tell its rows: of lists of structs only the column
/// with the fewest bytes is read up to the first row that is wanted, and what belongs to a row is
/// counted.
class SkippingListReader final : public ColumnReader {
 public:
  /// `list`: the engine's reader.
  SkippingListReader(const duckdb::ParquetReader& reader, const OpenFile& file,
                     duckdb::unique_ptr<ColumnReader> list, const Wanted& wanted)
      : ColumnReader(reader, list->Schema()), file_(file), list_(std::move(list)) {
    if (!file.handle) return;
    auto below = Below(Schema().children.front(), WantedBelow(wanted, 0));
    if (!below || leaves_.size() < 2) {
      leaves_.clear();
      return;
    }
    below_ = below.get();
    list_ = duckdb::make_uniq<duckdb::ListColumnReader>(reader, Schema(), std::move(below));
  }

  void InitializeRead(idx_t row_group, const ColumnChunks& chunks,
                      duckdb_apache::thrift::protocol::TProtocol& protocol) override {
    list_->InitializeRead(row_group, chunks, protocol);
    row_group_ = row_group;
    chunks_ = &chunks;
    is_untouched_ = true;
    skipped_ = 0;
  }
  idx_t Read(uint64_t count, data_ptr_t defines, data_ptr_t repeats, Vector& result) override {
    if (skipped_ > 0) CatchUp();
    is_untouched_ = false;
    const idx_t got = list_->Read(count, defines, repeats, result);
    if (got != count) {
      // Where rows are filtered the engine does not look, and takes what lies in memory for lists.
      throw duckdb::InvalidInputException("Column \"%s\" has fewer rows than its row group",
                                          Schema().name);
    }
    return got;
  }
  void Skip(idx_t count) override { skipped_ += count; }

  idx_t FileOffset() const override { return list_->FileOffset(); }
  uint64_t TotalCompressedSize() override { return list_->TotalCompressedSize(); }
  idx_t GroupRowsAvailable() override { return list_->GroupRowsAvailable(); }
  void RegisterPrefetch(ThriftFileTransport& transport, bool allow_merge) override {
    list_->RegisterPrefetch(transport, allow_merge);
  }

 private:
  struct Leaf {
    SkippingReader* reader;
    std::shared_ptr<PageContents> last_page;
  };

  duckdb::unique_ptr<ColumnReader> Below(const duckdb::ParquetColumnSchema& schema,
                                         const Wanted& wanted) {
    if (schema.schema_type != duckdb::ParquetColumnSchemaType::COLUMN || schema.max_repeat != 1) {
      return nullptr;
    }
    if (schema.children.empty()) {
      auto last_page = std::make_shared<PageContents>();
      auto leaf = duckdb::make_uniq<SkippingReader>(Reader(), file_, schema, last_page);
      leaves_.push_back({leaf.get(), std::move(last_page)});
      return leaf;
    }
    if (schema.type.id() != duckdb::LogicalTypeId::STRUCT) return nullptr;
    duckdb::vector<duckdb::unique_ptr<ColumnReader>> children(schema.children.size());
    for (idx_t i = 0; i < children.size(); ++i) {
      if (!IsWanted(wanted, i)) continue;
      children[i] = Below(schema.children[i], WantedBelow(wanted, i));
      if (!children[i]) return nullptr;
    }
    return duckdb::make_uniq<duckdb::StructColumnReader>(Reader(), schema, std::move(children));
  }

  void CatchUp() {
    const auto row = static_cast<int64_t>(skipped_);
    // Once the engine's reader has read some rows it keeps values of those to come.
    const bool is_worth_it =
        is_untouched_ && std::any_of(leaves_.begin(), leaves_.end(), [row](const Leaf& leaf) {
          return leaf.reader->IsBehindFirstPage(row);
        });
    const auto values = is_worth_it ? ValuesBefore(row) : std::nullopt;
    if (values) {
      below_->Skip(static_cast<idx_t>(*values));
    } else {
      list_->Skip(skipped_);
    }
    skipped_ = 0;
  }

  /// How many values the rows before have; nullopt: there is no such row.
  std::optional<int64_t> ValuesBefore(int64_t row) {
    const auto& leaf =
        *std::min_element(leaves_.begin(), leaves_.end(), [](const Leaf& left, const Leaf& right) {
          return left.reader->TotalCompressedSize() < right.reader->TotalCompressedSize();
        });
    const auto& schema = leaf.reader->Schema();
    const auto column = CreateReader(Reader(), schema);
    Protocol protocol(
        std::make_shared<PageTransport>(*file_.handle, leaf.last_page, PageTransport::Last::kKeep));
    column->InitializeRead(row_group_, *chunks_, protocol);
    duckdb::VectorCache cache(GetAllocator(), schema.type);
    Vector values(cache);
    std::vector<uint8_t> defines(STANDARD_VECTOR_SIZE), repeats(STANDARD_VECTOR_SIZE);
    int64_t rows = 0;
    for (int64_t before = 0;;) {
      const auto count = std::min<idx_t>(STANDARD_VECTOR_SIZE, column->GroupRowsAvailable());
      if (count == 0) return std::nullopt;
      values.ResetFromCache(cache);
      column->Read(count, defines.data(), repeats.data(), values);
      for (idx_t i = 0; i < count; ++i) {
        if (repeats[i] == 0 && rows++ == row) return before + static_cast<int64_t>(i);
      }
      before += static_cast<int64_t>(count);
    }
  }

  const OpenFile file_;
  duckdb::unique_ptr<ColumnReader> list_;
  std::vector<Leaf> leaves_;       ///< Empty: no pages are skipped.
  ColumnReader* below_ = nullptr;  ///< What the list's reader reads, with all leaves.
  idx_t row_group_ = 0;
  const ColumnChunks* chunks_ = nullptr;
  bool is_untouched_ = true;
  idx_t skipped_ = 0;  ///< Rows that the list's reader was not told of.
};

/// Whether the column has bytes that are worth a reader of some tens of kilobytes: wide tables have
/// many columns of few.
bool IsWorthSkipping(const duckdb::ParquetColumnSchema& schema,
                     const duckdb_parquet::RowGroup& group) {
  constexpr int64_t kWorth = 16 << 10;
  return schema.column_index < group.columns.size() &&
         group.columns[schema.column_index].meta_data.total_compressed_size >= kWorth;
}

/// Puts readers of ours in place of the engine's.
void Replace(const duckdb::ParquetReader& reader, const OpenFile& file, const Wanted& wanted,
             duckdb::unique_ptr<ColumnReader>& column) {
  if (!column) return;
  const auto& schema = column->Schema();
  if (schema.schema_type != duckdb::ParquetColumnSchemaType::COLUMN) return;
  switch (schema.type.id()) {
    case duckdb::LogicalTypeId::STRUCT: {
      auto& children = column->Cast<duckdb::StructColumnReader>().child_readers;
      for (idx_t i = 0; i < children.size(); ++i) {
        Replace(reader, file, WantedBelow(wanted, i), children[i]);
      }
      return;
    }
    case duckdb::LogicalTypeId::LIST:
    case duckdb::LogicalTypeId::MAP:
      column = duckdb::make_uniq<SkippingListReader>(reader, file, std::move(column), wanted);
      return;
    case duckdb::LogicalTypeId::SQLNULL:
      column = duckdb::make_uniq<SkippingReader>(reader, file, schema);
      return;
    default:
      if (file.handle && schema.children.empty() && IsWorthSkipping(schema, *file.group)) {
        column = duckdb::make_uniq<SkippingReader>(reader, file, schema);
      }
      return;
  }
}

}  // namespace

void SkipPages(const duckdb::ParquetReader& reader, duckdb::ParquetReaderScanState& scan) {
  const bool encrypted = reader.parquet_options.encryption_config ||
                         reader.GetFileMetadata()->__isset.encryption_algorithm;
  const bool leaves_rows_out = reader.filters || reader.deletion_filter;
  if (encrypted || !leaves_rows_out) return;
  const auto& group = reader.GetFileMetadata()->row_groups[scan.group_idx_list.front()];
  const OpenFile file{scan.prefetch_mode ? nullptr : scan.file_handle.get(), &group,
                      std::make_shared<ColumnChunks>()};
  auto& columns = scan.root_reader->Cast<duckdb::StructColumnReader>().child_readers;
  for (const auto& wanted : reader.column_indexes) {
    if (wanted.IsVirtualColumn()) continue;
    Replace(reader, file, wanted.GetChildIndexes(), columns[wanted.GetPrimaryIndex()]);
  }
}

}  // namespace ariadne::scan
