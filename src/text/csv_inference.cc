#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <arrow/io/interfaces.h>
#include <arrow/type.h>

#include "ariadne/errors.h"
#include "text/csv_tokenizer.h"
#include "text/csv_value.h"
#include "text/text_inference.h"
#include "text/text_input.h"
#include "text/value_text.h"

namespace ariadne::text {

namespace {

using Type = std::shared_ptr<arrow::DataType>;  // nullptr: no value was seen yet.

constexpr int kMostDigits = 38;

bool IsInteger(const arrow::DataType& type) {
  return type.id() == arrow::Type::INT32 || type.id() == arrow::Type::INT64;
}

bool IsDecimal(const arrow::DataType& type) { return type.id() == arrow::Type::DECIMAL128; }

/// Types of fields, as Spark's CSVInferSchema finds them: a field is tried as the type of what came
/// before it and, where it does not fit, as each one behind that in the order of `kTried`.
class FieldTypes {
 public:
  explicit FieldTypes(const TextOptions& options) : options_(options), with_dates_(options) {
    // Read are all texts that cast to a date, inferred only those of the pattern.
    if (!with_dates_.times.date) with_dates_.times.date.emplace("dateFormat", options.date_pattern);
  }

  /// The type of a column that was `so_far` once `field` has been seen.
  [[nodiscard]] Type With(const Type& so_far, bool null, std::string_view field) const {
    if (null || field.empty() || field == options_.null_value) return so_far;
    return Common(so_far, TypeOf(field, so_far == nullptr ? arrow::Type::INT32 : so_far->id()));
  }

 private:
  [[nodiscard]] Type TypeOf(std::string_view field, arrow::Type::type from) const {
    static const Type kInstant = arrow::timestamp(arrow::TimeUnit::MICRO, "UTC");
    static const std::array<Type, 7> kTried = {
        arrow::int32(),  arrow::int64(), arrow::decimal128(1, 0), arrow::float64(),
        arrow::date32(), kInstant,       arrow::boolean()};
    auto at = std::find_if(kTried.begin(), kTried.end(),
                           [from](const Type& type) { return type->id() == from; });
    for (; at != kTried.end(); ++at) {
      if (IsDecimal(**at)) {
        if (Type decimal = WholeDecimal(field)) return decimal;
      } else if (CsvValue(**at, with_dates_).Fits(false, field)) {
        return *at;
      }
    }
    return arrow::utf8();
  }

  /// Whole numbers that no integer holds; a fraction is a double.
  static Type WholeDecimal(std::string_view field) {
    std::string text(field);
    std::erase(text, ',');
    const auto number = ParseDecimalDigits(text);
    if (!number || number->scale != 0 || number->precision() > kMostDigits) return nullptr;
    return arrow::decimal128(static_cast<int32_t>(number->precision()), 0);
  }

  [[nodiscard]] Type Common(const Type& a, const Type& b) const {
    if (a == nullptr || a->Equals(*b)) return b;
    if (IsInteger(*a) && IsInteger(*b)) return arrow::int64();
    const bool numbers = (IsInteger(*a) || IsDecimal(*a) || a->id() == arrow::Type::DOUBLE) &&
                         (IsInteger(*b) || IsDecimal(*b) || b->id() == arrow::Type::DOUBLE);
    if (numbers) {
      if (a->id() == arrow::Type::DOUBLE || b->id() == arrow::Type::DOUBLE) return arrow::float64();
      const Type wider = WiderDecimal(*AsDecimal(a), *AsDecimal(b));
      return wider == nullptr ? arrow::float64() : wider;
    }
    const Type& other = a->id() == arrow::Type::DATE32 ? b : a;
    const bool times = (a->id() == arrow::Type::DATE32 || b->id() == arrow::Type::DATE32) &&
                       other->id() == arrow::Type::TIMESTAMP;
    return times && DatesAreTimestamps() ? other : arrow::utf8();
  }

  static Type AsDecimal(const Type& type) {
    constexpr int kIntDigits = 10;
    constexpr int kLongDigits = 20;
    if (IsDecimal(*type)) return type;
    return arrow::decimal128(type->id() == arrow::Type::INT32 ? kIntDigits : kLongDigits, 0);
  }

  /// Only Spark's own reading of timestamps takes dates, and only these.
  [[nodiscard]] bool DatesAreTimestamps() const {
    if (options_.times.timestamp) return false;
    static constexpr std::array<std::string_view, 7> kPatterns = {
        "yyyy-MM-dd", "yyyy-M-d", "yyyy-M-dd", "yyyy-MM-d", "yyyy-MM", "yyyy-M", "yyyy"};
    return std::find(kPatterns.begin(), kPatterns.end(), options_.date_pattern) != kPatterns.end();
  }

  const TextOptions& options_;
  TextOptions with_dates_;
};

std::string Lower(std::string text) {
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  return text;
}

/// Names that tell columns apart, letter case aside.
std::vector<std::string> ColumnNames(const CsvRecord& first, const TextOptions& options) {
  std::map<std::string, int> count;
  for (size_t i = 0; i < first.size(); ++i) {
    if (!first.is_null(i)) ++count[Lower(std::string(first[i]))];
  }
  std::vector<std::string> names;
  for (size_t i = 0; i < first.size(); ++i) {
    const std::string number = std::to_string(i);
    std::string name(first.is_null(i) ? std::string_view() : first[i]);
    if (!options.header || name.empty() || name == options.null_value) {
      names.push_back("_c" + number);
    } else {
      names.push_back(count[Lower(name)] > 1 ? name + number : name);
    }
  }
  return names;
}

using Visit = std::function<bool(const CsvRecord& record)>;  // False: no further ones.

/// Lines that hold a record, the header left out wherever it stands.
void VisitLines(const InferenceFile& file, const TextOptions& options,
                std::optional<std::string>* header, const Visit& visit) {
  TextInput input(file.file, file.name.name, options);
  CsvTokenizer tokenizer(options);
  CsvRecord record;
  std::string_view line;
  while (input.NextLine(&line)) {
    if (TrimAll(line).empty() || (options.comment != '\0' && line[0] == options.comment)) continue;
    const bool first = !header->has_value();
    if (first) *header = std::string(line);
    if (!first && options.header && line == **header) continue;
    if (tokenizer.ParseLine(line, &record) && !visit(record)) return;
  }
}

void VisitRecords(const InferenceFile& file, const TextOptions& options, bool* first,
                  const Visit& visit) {
  TextInput input(file.file, file.name.name, options);
  CsvTokenizer tokenizer(options);
  CsvRecord record;
  tokenizer.Begin([&input] { return input.NextPiece(); });
  for (bool in_file = true; tokenizer.ParseNext(&record); in_file = false) {
    if (in_file && options.header && !std::exchange(*first, false)) continue;
    *first = false;
    if (!visit(record)) return;
  }
}

/// The order in which Spark looks at files that it reads line by line.
std::vector<InferenceFile> LargestFirst(std::vector<InferenceFile> files) {
  const auto size = [](const InferenceFile& file) {
    const auto bytes = file.file->GetSize();
    if (!bytes.ok()) throw StorageError(file.name.name + ": " + bytes.status().message());
    return *bytes;
  };
  std::stable_sort(
      files.begin(), files.end(),
      [&size](const InferenceFile& a, const InferenceFile& b) { return size(a) > size(b); });
  return files;
}

}  // namespace

std::shared_ptr<arrow::Schema> InferCsvSchema(const std::vector<InferenceFile>& files,
                                              const TextOptions& options) {
  const FieldTypes of_fields(options);
  std::vector<std::string> names;
  std::vector<Type> types;
  const Visit visit = [&](const CsvRecord& record) {
    if (names.empty()) {
      names = ColumnNames(record, options);
      types.resize(names.size());
      if (options.header) return options.infer_types;
    }
    if (!options.infer_types) return false;
    for (size_t i = 0; i < std::min(types.size(), record.size()); ++i) {
      const bool null = record.is_null(i);
      types[i] = of_fields.With(types[i], null, null ? std::string_view() : record[i]);
    }
    return true;
  };
  std::optional<std::string> header;
  bool first = true;
  for (const InferenceFile& file : options.multi_line ? files : LargestFirst(files)) {
    if (!names.empty() && !options.infer_types) break;
    if (options.multi_line) {
      VisitRecords(file, options, &first, visit);
    } else {
      VisitLines(file, options, &header, visit);
    }
  }
  arrow::FieldVector fields;
  for (size_t i = 0; i < names.size(); ++i) {
    fields.push_back(arrow::field(names[i], types[i] == nullptr ? arrow::utf8() : types[i]));
  }
  return arrow::schema(std::move(fields));
}

}  // namespace ariadne::text
