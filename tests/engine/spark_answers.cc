#include "spark_answers.h"

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <utility>

#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/io/compressed.h>
#include <arrow/io/file.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/util/compression.h>

#include "engine/spark_cast.h"

namespace ariadne::engine {

namespace {

using nlohmann::json;

void Must(const arrow::Status& status) {
  if (!status.ok()) throw std::runtime_error(status.ToString());
}

std::string ReadGzip(const std::string& path) {
  auto file = arrow::io::ReadableFile::Open(path).ValueOrDie();
  auto codec = arrow::util::Codec::Create(arrow::Compression::GZIP).ValueOrDie();
  auto stream = arrow::io::CompressedInputStream::Make(codec.get(), file).ValueOrDie();
  std::string text;
  while (true) {
    auto part = stream->Read(1 << 20).ValueOrDie();
    if (part->size() == 0) return text;
    text += part->ToString();
  }
}

// "array<struct<k:string,v:bigint>>"
class TypeReader {
 public:
  explicit TypeReader(const std::string& text) : text_(text) {}

  std::shared_ptr<arrow::DataType> Read() {
    const size_t start = at_;
    while (at_ < text_.size() && text_[at_] != '<' && text_[at_] != '>' && text_[at_] != ',') {
      if (text_[at_] == '(') at_ = text_.find(')', at_);
      ++at_;
    }
    const std::string name = text_.substr(start, at_ - start);
    if (name == "array") {
      ++at_;
      auto element = Read();
      ++at_;
      return arrow::list(arrow::field("element", element));
    }
    if (name == "struct") {
      std::vector<std::shared_ptr<arrow::Field>> fields;
      while (text_[at_] != '>') {
        ++at_;
        const size_t colon = text_.find(':', at_);
        const std::string field = text_.substr(at_, colon - at_);
        at_ = colon + 1;
        fields.push_back(arrow::field(field, Read()));
      }
      ++at_;
      return arrow::struct_(fields);
    }
    return ParseSparkType(name);
  }

 private:
  const std::string& text_;
  size_t at_ = 0;
};

template <typename To, typename From>
To BitsAs(From bits) {
  To value;
  static_assert(sizeof(To) == sizeof(From));
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

std::string BytesOf(const std::string& hex) {
  std::string bytes;
  for (size_t i = 0; i < hex.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  }
  return bytes;
}

void Append(const json& value, arrow::ArrayBuilder* builder) {
  if (value.is_null()) return Must(builder->AppendNull());
  switch (builder->type()->id()) {
    case arrow::Type::STRING:
      return Must(static_cast<arrow::StringBuilder*>(builder)->Append(value.get<std::string>()));
    case arrow::Type::BINARY:
      return Must(
          static_cast<arrow::BinaryBuilder*>(builder)->Append(BytesOf(value.get<std::string>())));
    case arrow::Type::BOOL:
      return Must(static_cast<arrow::BooleanBuilder*>(builder)->Append(value.get<bool>()));
    case arrow::Type::INT8:
      return Must(static_cast<arrow::Int8Builder*>(builder)->Append(value.get<int8_t>()));
    case arrow::Type::INT16:
      return Must(static_cast<arrow::Int16Builder*>(builder)->Append(value.get<int16_t>()));
    case arrow::Type::INT32:
      return Must(static_cast<arrow::Int32Builder*>(builder)->Append(value.get<int32_t>()));
    case arrow::Type::INT64:
      return Must(static_cast<arrow::Int64Builder*>(builder)->Append(value.get<int64_t>()));
    case arrow::Type::FLOAT:
      return Must(static_cast<arrow::FloatBuilder*>(builder)->Append(
          BitsAs<float>(static_cast<uint32_t>(std::stoul(value.get<std::string>(), nullptr, 16)))));
    case arrow::Type::DOUBLE:
      return Must(static_cast<arrow::DoubleBuilder*>(builder)->Append(
          BitsAs<double>(uint64_t{std::stoull(value.get<std::string>(), nullptr, 16)})));
    case arrow::Type::DECIMAL128: {
      const auto& type = static_cast<const arrow::DecimalType&>(*builder->type());
      arrow::Decimal128 decimal;
      int32_t precision = 0;
      int32_t scale = 0;
      Must(arrow::Decimal128::FromString(value.get<std::string>(), &decimal, &precision, &scale));
      decimal = decimal.Rescale(scale, type.scale()).ValueOrDie();
      return Must(static_cast<arrow::Decimal128Builder*>(builder)->Append(decimal));
    }
    case arrow::Type::DATE32:
      return Must(static_cast<arrow::Date32Builder*>(builder)->Append(value.get<int32_t>()));
    case arrow::Type::TIMESTAMP:
      return Must(static_cast<arrow::TimestampBuilder*>(builder)->Append(value.get<int64_t>()));
    case arrow::Type::LIST: {
      auto* list = static_cast<arrow::ListBuilder*>(builder);
      Must(list->Append());
      for (const auto& element : value) Append(element, list->value_builder());
      return;
    }
    default: {
      auto* members = static_cast<arrow::StructBuilder*>(builder);
      Must(members->Append());
      for (int i = 0; i < members->num_fields(); ++i) Append(value[i], members->field_builder(i));
    }
  }
}

SparkTable ReadTable(const json& line) {
  const auto& rows = line["rows"];
  std::vector<std::shared_ptr<arrow::Field>> fields;
  std::vector<std::shared_ptr<arrow::Array>> columns;
  for (size_t i = 0; i < line["columns"].size(); ++i) {
    const auto type = TypeReader(line["columns"][i][1].get_ref<const std::string&>()).Read();
    fields.push_back(arrow::field(line["columns"][i][0], type));
    auto builder = arrow::MakeBuilder(type).ValueOrDie();
    for (const auto& row : rows) Append(row[i], builder.get());
    columns.push_back(builder->Finish().ValueOrDie());
  }
  return {line["name"], arrow::RecordBatch::Make(arrow::schema(fields),
                                                 static_cast<int64_t>(rows.size()), columns)};
}

template <typename Bits>
std::string Hex(Bits bits) {
  char text[32];
  std::snprintf(text, sizeof(text), "%llx", static_cast<unsigned long long>(bits));
  return text;
}

// java.math.BigDecimal.toPlainString.
std::string Plain(const arrow::Decimal128Array& array, int64_t row) {
  const auto scale =
      static_cast<size_t>(static_cast<const arrow::DecimalType&>(*array.type()).scale());
  std::string digits = arrow::Decimal128(array.GetValue(row)).ToIntegerString();
  const std::string sign = digits[0] == '-' ? "-" : "";
  digits.erase(0, sign.size());
  if (digits.size() <= scale) digits.insert(0, scale + 1 - digits.size(), '0');
  if (scale > 0) digits.insert(digits.size() - scale, ".");
  return sign + digits;
}

template <typename ArrayType>
auto Value(const arrow::Array& array, int64_t row) {
  return static_cast<const ArrayType&>(array).Value(row);
}

}  // namespace

SparkAnswers ReadSparkAnswers(const std::string& path) {
  SparkAnswers out;
  const std::string text = ReadGzip(path);
  for (size_t at = 0; at < text.size();) {
    const size_t end = text.find('\n', at);
    json line = json::parse(text.begin() + at, text.begin() + end);
    at = end + 1;
    if (line.contains("name")) {
      out.tables.push_back(ReadTable(line));
    } else {
      out.answers.push_back({line["table"], line["expression"], line.value("error", ""),
                             line.value("type", ""), line.value("values", json::array())});
    }
  }
  return out;
}

json AnswerOf(const arrow::Array& array, int64_t row) {
  if (array.IsNull(row)) return nullptr;
  switch (array.type_id()) {
    case arrow::Type::STRING: {
      // Bytes that are no UTF-8 become U+FFFD, as in the answers.
      const json text = static_cast<const arrow::StringArray&>(array).GetString(row);
      return json::parse(text.dump(-1, ' ', false, json::error_handler_t::replace));
    }
    case arrow::Type::BINARY: {
      std::string hex;
      for (const char c : static_cast<const arrow::BinaryArray&>(array).GetView(row)) {
        char two[3];
        std::snprintf(two, sizeof(two), "%02x", static_cast<unsigned char>(c));
        hex += two;
      }
      return hex;
    }
    case arrow::Type::BOOL:
      return Value<arrow::BooleanArray>(array, row);
    case arrow::Type::INT8:
      return Value<arrow::Int8Array>(array, row);
    case arrow::Type::INT16:
      return Value<arrow::Int16Array>(array, row);
    case arrow::Type::INT32:
      return Value<arrow::Int32Array>(array, row);
    case arrow::Type::INT64:
      return Value<arrow::Int64Array>(array, row);
    case arrow::Type::DATE32:
      return Value<arrow::Date32Array>(array, row);
    case arrow::Type::TIMESTAMP:
      return Value<arrow::TimestampArray>(array, row);
    case arrow::Type::FLOAT: {
      const float value = Value<arrow::FloatArray>(array, row);
      return Hex(std::isnan(value) ? 0x7FC00000U : BitsAs<uint32_t>(value));
    }
    case arrow::Type::DOUBLE: {
      const double value = Value<arrow::DoubleArray>(array, row);
      return Hex(std::isnan(value) ? 0x7FF8000000000000U : BitsAs<uint64_t>(value));
    }
    case arrow::Type::DECIMAL128:
      return Plain(static_cast<const arrow::Decimal128Array&>(array), row);
    case arrow::Type::LIST: {
      const auto elements = static_cast<const arrow::ListArray&>(array).value_slice(row);
      json values = json::array();
      for (int64_t i = 0; i < elements->length(); ++i) values.push_back(AnswerOf(*elements, i));
      return values;
    }
    default: {
      json values = json::array();
      for (const auto& field : static_cast<const arrow::StructArray&>(array).fields()) {
        values.push_back(AnswerOf(*field, row));
      }
      return values;
    }
  }
}

}  // namespace ariadne::engine
