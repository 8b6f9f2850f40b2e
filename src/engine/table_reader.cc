#include "engine/table_reader.h"

#include <arrow/array/array_base.h>
#include <arrow/record_batch.h>
#include <arrow/scalar.h>
#include <arrow/table.h>
#include <arrow/type.h>
#include <arrow/type_traits.h>

#include <atomic>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ariadne/errors.h"
#include "duckdb/common/string_util.hpp"
#include "engine/embedded_database.h"
#include "engine/json_members.h"
#include "engine/query_stream.h"
#include "engine/table_format.h"
#include "scan/scan_function.h"
#include "source/parquet_source.h"
#include "storage/arrow_io.h"

namespace ariadne::engine {

namespace {

/// While it lives, rows of a database's results come in the order of the file.
class RowOrder {
 public:
  explicit RowOrder(EmbeddedDatabase& database) : connection_(Connect(database)) { Keep("true"); }
  ~RowOrder() { Keep("false"); }
  RowOrder(const RowOrder&) = delete;
  RowOrder& operator=(const RowOrder&) = delete;

 private:
  void Keep(const char* value) {
    (void)connection_->Query(std::string("SET GLOBAL preserve_insertion_order = ") + value);
  }

  std::unique_ptr<duckdb::Connection> connection_;
};

class TableReader {
 public:
  TableReader(std::shared_ptr<EmbeddedDatabase> database, std::string url,
              const WrittenColumns& written, std::string delimiter)
      : database_(std::move(database)),
        url_(std::move(url)),
        written_(written),
        delimiter_(std::move(delimiter)) {}

  std::shared_ptr<arrow::Table> Read() {
    switch (FormatOf(url_)) {
      case TableFormat::kParquet:
        return ReadParquet();
      case TableFormat::kCsv:
        return ReadCsv(delimiter_.empty() ? "," : delimiter_);
      case TableFormat::kTsv:
        return ReadCsv(delimiter_.empty() ? "\t" : delimiter_);
      case TableFormat::kJson:
        return ReadJson("");
      case TableFormat::kJsonLines:
        return ReadJson(", format = 'newline_delimited'");
    }
    return nullptr;
  }

 private:
  std::shared_ptr<arrow::Table> Run(const std::string& sql) {
    auto rows = OpenQueryStream(database_, sql, {});
    auto table = rows->ToTable();
    ThrowIfFailed(table.status());
    return *table;
  }

  std::shared_ptr<arrow::Table> ReadJson(const std::string& options) {
    if (written_.empty()) return ReadTypedJson(options);
    // The records are read twice, and each column of the one reading has to meet the other's.
    const RowOrder order(*database_);
    auto table = ReadTypedJson(options);
    std::vector<std::string> names;
    for (const auto& [name, written] : written_) {
      const auto column = table->GetColumnByName(name);
      if (!column || arrow::is_nested(column->type()->id())) continue;
      if (IsAsWritten(written, *column->type())) names.push_back(name);
    }
    if (names.empty()) return table;
    const auto records = Run("SELECT json::VARCHAR FROM read_json_objects(" +
                             Session::Literal(url_) + options + ")");
    if (records->num_rows() != table->num_rows()) {
      throw QueryError("it holds more than JSON objects");
    }
    const auto columns = WrittenMembers(*records->column(0), names);
    for (size_t i = 0; i < names.size(); ++i) {
      const int place = table->schema()->GetFieldIndex(names[i]);
      const auto replaced = table->SetColumn(place, arrow::field(names[i], arrow::utf8()),
                                             std::make_shared<arrow::ChunkedArray>(columns[i]));
      ThrowIfFailed(replaced.status());
      table = *replaced;
    }
    return table;
  }

  std::shared_ptr<arrow::Table> ReadTypedJson(const std::string& options) {
    try {
      return Run("SELECT * FROM read_json(" + Session::Literal(url_) +
                 ", sample_size = -1, records = true" + options + ")");
    } catch (const QueryError& error) {
      if (std::string_view(error.what()).find("non-record") == std::string_view::npos) throw;
      throw InvalidFile("'" + url_ +
                        "' holds no JSON objects: write one a line, {\"COLUMN\": value}, or an "
                        "array of them");
    }
  }

  // Through the scan, which reads what Spark would: INT96 as timestamps, unsigned as wider
  // integers.
  std::shared_ptr<arrow::Table> ReadParquet() {
    std::shared_ptr<arrow::Schema> schema;
    try {
      schema =
          source::ReadParquetSchema(storage::OpenInput(database_->stores->Resolve(url_)), url_);
    } catch (const UnsupportedColumn&) {
      // A keys table may hold more than Spark knows; the engine's types will do then.
      return Run("SELECT * FROM read_parquet(" + Session::Literal(url_) +
                 ", hive_partitioning = false)");
    }
    auto files = std::make_shared<scan::FileSet>();
    // No stored name: folders above a keys table are no partition columns of it.
    files->files.push_back({"", url_, -1});
    files->schema = std::move(schema);
    static std::atomic<int64_t> next{0};
    const std::string name = "\x01table " + std::to_string(next++);
    database_->sets->Put(name, std::move(files));
    auto table = Run(std::string("SELECT * FROM ") + scan::kScanFunction + "(" +
                     Session::Literal(name) + ")");
    database_->sets->Remove(name);
    return table;
  }

  // Types are found over all rows, in which a quoted empty field counts for as little as an empty
  // one. What a second look at the text then finds is read anew: what looks like numbers but would
  // not print as it was written (a leading zero or plus sign) is names, and a quoted empty field in
  // a column of text is the empty text. The columns that were asked for as they are written are.
  std::shared_ptr<arrow::Table> ReadCsv(const std::string& delimiter) {
    // Nothing of the dialect is guessed: a file of one column would be split at what its texts have
    // in common, and its first lines left out as no table.
    const std::string dialect =
        "read_csv(" + Session::Literal(url_) + ", delim = " + Session::Literal(delimiter) +
        R"(, quote = '"', escape = '"', comment = '', skip = 0)" + ", hive_partitioning = false";
    const std::string source = dialect + ", header = true, sample_size = -1";
    auto table = Run("SELECT * FROM " + source + TypesOfWritten(source) + ")");
    RefuseRepeatedNames(dialect);
    auto columns = LookAtText(*table, source);
    std::string select;
    std::string types;
    for (int i = 0; i < table->num_columns(); ++i) {
      const std::string& name = table->field(i)->name();
      const std::string quoted = Session::Quote(name);
      std::string value = quoted;
      const auto written = written_.find(name);
      if (written != written_.end() && IsAsWritten(written->second, *table->field(i)->type())) {
        columns[i].is_names = true;
        if (written->second != Written::kText) value = "nullif(" + quoted + ", '') AS " + quoted;
      }
      if (columns[i].quoted_empty && !columns[i].is_names) {
        value = WithoutEmpty(quoted, *table->field(i)->type()) + " AS " + quoted;
      }
      select += (i == 0 ? "" : ", ") + value;
      if (!columns[i].quoted_empty && !columns[i].is_names) continue;
      types += (types.empty() ? "" : ", ") + Session::Literal(name) + ": 'VARCHAR'";
    }
    if (types.empty()) return table;
    return Run("SELECT " + select + " FROM " + source + ", allow_quoted_nulls = false, types = {" +
               types + "})");
  }

  // The engine would call the second of two columns of one name otherwise. It compares names
  // without letter case or the blanks around them.
  void RefuseRepeatedNames(const std::string& dialect) {
    const auto header = Run("SELECT * FROM " + dialect +
                            ", header = false, all_varchar = true, sample_size = 1) LIMIT 1");
    std::map<std::string, std::string> spelled;
    for (int i = 0; header->num_rows() > 0 && i < header->num_columns(); ++i) {
      const auto cell = header->column(i)->GetScalar(0);
      ThrowIfFailed(cell.status());
      if (!(*cell)->is_valid) continue;
      const std::string name = (*cell)->ToString();
      std::string compared = duckdb::StringUtil::Lower(name);
      duckdb::StringUtil::Trim(compared);
      const auto [first, is_new] = spelled.emplace(compared, name);
      if (is_new) continue;
      throw InvalidFile("'" + url_ + "' names two columns alike, \"" + first->second + "\" and \"" +
                        name + "\": call one of them otherwise in its first line");
    }
  }

  // The option that leaves the written columns text; of a file without such a column it would be an
  // error.
  std::string TypesOfWritten(const std::string& source) {
    if (written_.empty()) return "";
    const auto none = Run("SELECT * FROM " + source + ", all_varchar = true) LIMIT 0");
    std::string types;
    for (const auto& [name, written] : written_) {
      if (written == Written::kInteger || none->GetColumnByName(name) == nullptr) continue;
      types += (types.empty() ? "" : ", ") + Session::Literal(name) + ": 'VARCHAR'";
    }
    return types.empty() ? "" : ", types = {" + types + "}";
  }

  // Whether a column is what is written, where it was found to be of this type.
  static bool IsAsWritten(Written written, const arrow::DataType& found) {
    return written != Written::kInteger || !arrow::is_integer(found.id());
  }

  struct TextLook {
    bool is_names = false;      // Holds numbers that are names.
    bool quoted_empty = false;  // Holds a quoted empty field.
  };

  std::vector<TextLook> LookAtText(const arrow::Table& table, const std::string& source) {
    std::vector<TextLook> columns(table.num_columns());
    std::vector<bool*> answers;
    std::string select;
    const auto ask = [&](const std::string& condition, bool* answer) {
      select += (answers.empty() ? "" : ", ") + ("coalesce(bool_or(" + condition + "), false)");
      answers.push_back(answer);
    };
    for (int i = 0; i < table.num_columns(); ++i) {
      const std::string name = Session::Quote(table.field(i)->name());
      const auto id = table.field(i)->type()->id();
      if (arrow::is_integer(id) || arrow::is_floating(id) || arrow::is_decimal(id)) {
        ask("regexp_matches(trim(" + name + "), '^[+]|^-?0[0-9]')", &columns[i].is_names);
      }
      if (table.column(i)->null_count() > 0) ask(name + " = ''", &columns[i].quoted_empty);
    }
    if (answers.empty()) return columns;
    const auto found = Run("SELECT " + select + " FROM " + source +
                           ", all_varchar = true, allow_quoted_nulls = false)");
    for (size_t i = 0; i < answers.size(); ++i) {
      const auto cell = found->column(static_cast<int>(i))->GetScalar(0);
      ThrowIfFailed(cell.status());
      *answers[i] = (*cell)->ToString() == "true";
    }
    return columns;
  }

  // A column read as text for its quoted empty fields, as its own type again. Dates and times stay
  // text: the engine finds more spellings of them than its casts take.
  static std::string WithoutEmpty(const std::string& column, const arrow::DataType& type) {
    switch (type.id()) {
      case arrow::Type::STRING:
        return column;
      case arrow::Type::BOOL:
        return "CAST(nullif(" + column + ", '') AS BOOLEAN)";
      case arrow::Type::INT64:
        return "CAST(nullif(" + column + ", '') AS BIGINT)";
      case arrow::Type::DOUBLE:
        return "CAST(nullif(" + column + ", '') AS DOUBLE)";
      default:
        return "nullif(" + column + ", '')";
    }
  }

  std::shared_ptr<EmbeddedDatabase> database_;
  std::string url_;
  const WrittenColumns& written_;
  std::string delimiter_;
};

/// What is wrong with a file, in words for who wrote it.
std::string Explained(const std::string& message) {
  // The engine names what it tried in vain.
  if (message.find("CSV parsing dialect") == std::string::npos) return message;
  return "not all lines have as many fields as the first, or a quote is not closed; fields are "
         "split "
         "at the delimiter that is given, else at commas, in .tsv at tabs";
}

}  // namespace

std::shared_ptr<arrow::Table> ReadTable(const std::shared_ptr<EmbeddedDatabase>& database,
                                        const std::string& url, const WrittenColumns& written,
                                        const std::string& delimiter) {
  const std::string full = ToUrl(url);
  const auto object = database->stores->Resolve(full);
  if (!object.store->Head(object.path)) {
    throw FileNotFound("'" + url + "' does not exist: check the name of the table to read");
  }
  try {
    return TableReader(database, full, written, delimiter).Read();
  } catch (const QueryError& error) {
    const std::string message = Explained(error.what());
    if (message.find(full) != std::string::npos) throw InvalidFile(message);
    throw InvalidFile("Reading '" + url + "': " + message);
  }
}

}  // namespace ariadne::engine
