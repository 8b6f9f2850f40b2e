#include "source/plain_copy.h"

#include <vector>

#include <arrow/io/interfaces.h>
#include <parquet/column_reader.h>
#include <parquet/column_writer.h>
#include <parquet/file_writer.h>
#include <parquet/properties.h>
#include <parquet/schema.h>

#include "source/parquet_file.h"

namespace ariadne::source {

namespace {

constexpr int64_t kBatchValues = 8192;

template <typename ParquetType>
void CopyChunk(parquet::ColumnReader& reader, parquet::ColumnWriter& writer) {
  auto& from = static_cast<parquet::TypedColumnReader<ParquetType>&>(reader);
  auto& to = static_cast<parquet::TypedColumnWriter<ParquetType>&>(writer);
  std::vector<int16_t> definition(kBatchValues);
  std::vector<int16_t> repetition(kBatchValues);
  const auto values = std::make_unique<typename ParquetType::c_type[]>(kBatchValues);
  while (from.HasNext()) {
    int64_t read = 0;
    const int64_t levels =
        from.ReadBatch(kBatchValues, definition.data(), repetition.data(), values.get(), &read);
    if (levels == 0 && read == 0) break;
    to.WriteBatch(levels, definition.data(), repetition.data(), values.get());
  }
}

void CopyChunk(parquet::ColumnReader& from, parquet::ColumnWriter& to) {
  switch (from.type()) {
    case parquet::Type::BOOLEAN:
      return CopyChunk<parquet::BooleanType>(from, to);
    case parquet::Type::INT32:
      return CopyChunk<parquet::Int32Type>(from, to);
    case parquet::Type::INT64:
      return CopyChunk<parquet::Int64Type>(from, to);
    case parquet::Type::INT96:
      return CopyChunk<parquet::Int96Type>(from, to);
    case parquet::Type::FLOAT:
      return CopyChunk<parquet::FloatType>(from, to);
    case parquet::Type::DOUBLE:
      return CopyChunk<parquet::DoubleType>(from, to);
    case parquet::Type::BYTE_ARRAY:
      return CopyChunk<parquet::ByteArrayType>(from, to);
    case parquet::Type::FIXED_LEN_BYTE_ARRAY:
      return CopyChunk<parquet::FLBAType>(from, to);
    default:
      throw parquet::ParquetException("a physical type that is not known");
  }
}

}  // namespace

void WritePlainCopy(const std::shared_ptr<arrow::io::RandomAccessFile>& from,
                    const std::string& uri,
                    const std::function<bool(std::string_view name)>& wanted,
                    const std::shared_ptr<arrow::io::OutputStream>& to) {
  const ParquetFile file(from, uri);
  file.Guard("", [&] {
    const parquet::SchemaDescriptor& schema = *file.metadata().schema();
    const parquet::schema::GroupNode& root = *schema.group_node();
    parquet::schema::NodeVector fields;
    for (int i = 0; i < root.field_count(); ++i) {
      if (wanted(root.field(i)->name())) fields.push_back(root.field(i));
    }
    const auto copied = std::static_pointer_cast<parquet::schema::GroupNode>(
        parquet::schema::GroupNode::Make(root.name(), root.repetition(), fields));
    const auto writer = parquet::ParquetFileWriter::Open(to, copied,
                                                         parquet::WriterProperties::Builder()
                                                             .disable_dictionary()
                                                             ->encoding(parquet::Encoding::PLAIN)
                                                             ->build());
    for (int group = 0; group < file.metadata().num_row_groups(); ++group) {
      const auto read = file.reader().RowGroup(group);
      parquet::RowGroupWriter& written = *writer->AppendRowGroup();
      for (int leaf = 0; leaf < schema.num_columns(); ++leaf) {
        if (wanted(schema.GetColumnRoot(leaf)->name())) {
          CopyChunk(*read->Column(leaf), *written.NextColumn());
        }
      }
      written.Close();
    }
    writer->Close();
  });
}

}  // namespace ariadne::source
