#include "source/column_chunk.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

#include <arrow/array/array_base.h>
#include <arrow/io/memory.h>
#include <parquet/column_page.h>
#include <parquet/column_reader.h>
#include <parquet/encoding.h>
#include <parquet/exception.h>

#include "source/leaf_values.h"

namespace ariadne::source {

namespace {

// Bounds what a page header with a wild count of values can make us allocate.
constexpr int64_t kBatch = 64 * 1024;

bool IsDictionaryEncoding(parquet::Encoding::type encoding) {
  return encoding == parquet::Encoding::RLE_DICTIONARY ||
         encoding == parquet::Encoding::PLAIN_DICTIONARY;
}

bool IsDataPage(parquet::PageType::type type) {
  return type == parquet::PageType::DATA_PAGE || type == parquet::PageType::DATA_PAGE_V2;
}

// Levels of a data page, and where its values begin.
struct PageBody {
  int64_t values = 0;  // Without NULLs.
  const uint8_t* data = nullptr;
  int size = 0;
};

template <typename ParquetType>
class TypedChunk : public ColumnChunk {
 public:
  using T = typename ParquetType::c_type;

  TypedChunk(const ParquetFile& file, int row_group, int column,
             std::shared_ptr<arrow::DataType> type, std::string name)
      : file_(file),
        row_group_(row_group),
        column_(column),
        type_(std::move(type)),
        name_(std::move(name)),
        descriptor_(*file.metadata().schema()->Column(column)),
        group_(file.metadata().RowGroup(row_group)),
        chunk_(group_->ColumnChunk(column)) {
    CheckFooter();
    if (chunk_->num_values() == 0) {
      done_ = true;
    } else if (!IsAllDictionary(*chunk_) || !OpenDictionary()) {
      pages_ = file_.reader().RowGroup(row_group_)->GetColumnPageReader(column_);
    }
    scratch_ = std::make_unique<T[]>(std::min(kBatch, std::max<int64_t>(chunk_->num_values(), 1)));
  }

  std::shared_ptr<arrow::Array> Next() override {
    while (left_ == 0) {
      if (done_ || !NextPage()) return nullptr;
    }
    const auto wanted = static_cast<int>(std::min({left_, kBatch, chunk_->num_values()}));
    const int got = decoder_->Decode(scratch_.get(), wanted);
    if (got != wanted) Broken("a page holds fewer values than its header claims");
    left_ -= got;
    return file_.Unwrap(name_, LeafArray(scratch_.get(), got, descriptor_.type_length(), type_));
  }

 private:
  [[noreturn]] void Broken(const std::string& why) const { file_.Fail(name_, why); }

  void CheckFooter() const {
    if (!chunk_->file_path().empty()) Broken("its data lies in another file");
    if (chunk_->crypto_metadata() != nullptr) Broken("it is encrypted, and Ariadne has no key");
    // A row of a repeated column has as many values as it has elements, and one without any.
    const bool repeated = descriptor_.max_repetition_level() > 0;
    if (repeated ? chunk_->num_values() < group_->num_rows()
                 : chunk_->num_values() != group_->num_rows()) {
      Broken("the footer claims " + std::to_string(chunk_->num_values()) + " values in " +
             std::to_string(group_->num_rows()) + " rows");
    }
  }

  // False where the dictionary page cannot be had by itself: the whole chunk is read then.
  bool OpenDictionary() {
    const int64_t begin = chunk_->dictionary_page_offset();
    const int64_t length = chunk_->data_page_offset() - begin;
    if (begin < 4 || length <= 0 || length > chunk_->total_compressed_size() ||
        begin > file_.size() - length) {
      return false;
    }
    auto bytes = file_.Unwrap(name_, file_.input()->ReadAt(begin, length));
    if (bytes->size() != length) Broken("the file ends inside of a dictionary page");
    auto pages = parquet::PageReader::Open(std::make_shared<arrow::io::BufferReader>(bytes),
                                           chunk_->num_values(), chunk_->compression(),
                                           ParquetFile::properties(), descriptor_);
    page_ = pages->NextPage();
    if (page_ == nullptr || page_->type() != parquet::PageType::DICTIONARY_PAGE) {
      page_ = nullptr;
      return false;
    }
    pages_ = std::move(pages);  // Owns the page's memory.
    StartDictionary();
    done_ = true;
    return true;
  }

  void StartDictionary() {
    const auto& page = static_cast<const parquet::DictionaryPage&>(*page_);
    if (page.encoding() != parquet::Encoding::PLAIN &&
        page.encoding() != parquet::Encoding::PLAIN_DICTIONARY) {
      Broken("its dictionary is not PLAIN-encoded");
    }
    // One value a row at most is of use, and a dictionary holds each once.
    if (page.num_values() < 0) Broken("its dictionary claims a negative number of values");
    has_dictionary_ = true;
    Start(parquet::Encoding::PLAIN, page.num_values(),
          {page.num_values(), page.data(), page.size()});
  }

  // False at the end of the chunk.
  bool NextPage() {
    page_ = pages_->NextPage();
    if (page_ == nullptr) {
      if (seen_ != chunk_->num_values()) {
        Broken("its pages hold " + std::to_string(seen_) + " of " +
               std::to_string(chunk_->num_values()) + " values");
      }
      done_ = true;
      return false;
    }
    if (page_->type() == parquet::PageType::DICTIONARY_PAGE) {
      if (has_dictionary_ || seen_ > 0) Broken("a dictionary page stands where none may");
      StartDictionary();
    } else if (IsDataPage(page_->type())) {
      StartDataPage();
    }
    return true;
  }

  void StartDataPage() {
    const auto& page = static_cast<const parquet::DataPage&>(*page_);
    seen_ += page.num_values();
    if (page.num_values() < 0 || seen_ > chunk_->num_values()) {
      Broken("its pages hold more values than its footer claims");
    }
    if (IsDictionaryEncoding(page.encoding())) {
      if (!has_dictionary_) Broken("a page refers to a dictionary that is not there");
      return;
    }
    const PageBody body = page.type() == parquet::PageType::DATA_PAGE
                              ? BodyV1(static_cast<const parquet::DataPageV1&>(page))
                              : BodyV2(static_cast<const parquet::DataPageV2&>(page));
    Start(page.encoding(), page.num_values(), body);
  }

  void Start(parquet::Encoding::type encoding, int num_values, const PageBody& body) {
    left_ = body.values;
    if (left_ == 0) return;
    auto& decoder = decoders_[encoding];
    if (decoder == nullptr)
      decoder = parquet::MakeTypedDecoder<ParquetType>(encoding, &descriptor_);
    decoder_ = decoder.get();
    decoder_->SetData(num_values, body.data, body.size);
  }

  PageBody BodyV1(const parquet::DataPageV1& page) {
    PageBody body{page.num_values(), page.data(), page.size()};
    parquet::LevelDecoder levels;
    if (const int16_t deepest = descriptor_.max_repetition_level(); deepest > 0) {
      TakeLevels(page, page.repetition_level_encoding(), deepest, &levels, &body);
    }
    if (const int16_t deepest = descriptor_.max_definition_level(); deepest > 0) {
      TakeLevels(page, page.definition_level_encoding(), deepest, &levels, &body);
      body.values = Count(&levels, page.num_values());
    }
    return body;
  }

  // Sets `levels` to those at the beginning of what is left of the page.
  void TakeLevels(const parquet::DataPage& page, parquet::Encoding::type encoding, int16_t deepest,
                  parquet::LevelDecoder* levels, PageBody* body) const {
    const int used = levels->SetData(encoding, deepest, page.num_values(), body->data, body->size);
    if (used < 0 || used > body->size) Broken("a page's levels exceed the page");
    body->data += used;
    body->size -= used;
  }

  PageBody BodyV2(const parquet::DataPageV2& page) {
    const int64_t repetition = page.repetition_levels_byte_length();
    const int64_t definition = page.definition_levels_byte_length();
    if (repetition < 0 || definition < 0 || repetition + definition > page.size()) {
      Broken("a page's levels exceed the page");
    }
    const int64_t used = repetition + definition;
    PageBody body{page.num_values(), page.data() + used, static_cast<int>(page.size() - used)};
    const int16_t max_level = descriptor_.max_definition_level();
    if (max_level > 0) {
      parquet::LevelDecoder levels;
      levels.SetDataV2(static_cast<int32_t>(definition), max_level, page.num_values(),
                       page.data() + repetition);
      body.values = Count(&levels, page.num_values());
    }
    return body;
  }

  // Values that are not NULL, by their definition levels.
  int64_t Count(parquet::LevelDecoder* levels, int num_values) {
    levels_.resize(std::min<size_t>(num_values, kBatch));
    int64_t values = 0;
    for (int done = 0; done < num_values;) {
      const int wanted = std::min<int>(num_values - done, static_cast<int>(levels_.size()));
      const int got = levels->Decode(wanted, levels_.data());
      if (got <= 0) Broken("a page holds fewer levels than its header claims");
      values +=
          std::count(levels_.begin(), levels_.begin() + got, descriptor_.max_definition_level());
      done += got;
    }
    return values;
  }

  const ParquetFile& file_;
  int row_group_;
  int column_;
  std::shared_ptr<arrow::DataType> type_;
  std::string name_;
  const parquet::ColumnDescriptor& descriptor_;
  std::unique_ptr<parquet::RowGroupMetaData> group_;
  std::unique_ptr<parquet::ColumnChunkMetaData> chunk_;
  std::unique_ptr<parquet::PageReader> pages_;
  std::shared_ptr<parquet::Page> page_;
  std::map<parquet::Encoding::type, std::unique_ptr<parquet::TypedDecoder<ParquetType>>> decoders_;
  parquet::TypedDecoder<ParquetType>* decoder_ = nullptr;
  std::unique_ptr<T[]> scratch_;
  std::vector<int16_t> levels_;
  int64_t left_ = 0;  // Values of the current page that are not given yet.
  int64_t seen_ = 0;  // Values of all data pages so far, NULLs included.
  bool has_dictionary_ = false;
  bool done_ = false;  // No page follows.
};

}  // namespace

bool IsAllDictionary(const parquet::ColumnChunkMetaData& chunk) {
  if (!chunk.has_dictionary_page()) return false;
  bool any = false;
  for (const parquet::PageEncodingStats& stats : chunk.encoding_stats()) {
    if (!IsDataPage(stats.page_type) || stats.count == 0) continue;
    if (!IsDictionaryEncoding(stats.encoding)) return false;
    any = true;
  }
  return any;
}

std::unique_ptr<ColumnChunk> ColumnChunk::Open(const ParquetFile& file, int row_group, int column,
                                               std::shared_ptr<arrow::DataType> type,
                                               std::string name) {
  const auto make = [&]<typename ParquetType>() -> std::unique_ptr<ColumnChunk> {
    return std::make_unique<TypedChunk<ParquetType>>(file, row_group, column, std::move(type),
                                                     std::move(name));
  };
  switch (file.metadata().schema()->Column(column)->physical_type()) {
    case parquet::Type::BOOLEAN:
      return make.template operator()<parquet::BooleanType>();
    case parquet::Type::INT32:
      return make.template operator()<parquet::Int32Type>();
    case parquet::Type::INT64:
      return make.template operator()<parquet::Int64Type>();
    case parquet::Type::INT96:
      return make.template operator()<parquet::Int96Type>();
    case parquet::Type::FLOAT:
      return make.template operator()<parquet::FloatType>();
    case parquet::Type::DOUBLE:
      return make.template operator()<parquet::DoubleType>();
    case parquet::Type::BYTE_ARRAY:
      return make.template operator()<parquet::ByteArrayType>();
    case parquet::Type::FIXED_LEN_BYTE_ARRAY:
      return make.template operator()<parquet::FLBAType>();
    default:
      file.Fail(name, "its physical type is unknown");
  }
}

}  // namespace ariadne::source
