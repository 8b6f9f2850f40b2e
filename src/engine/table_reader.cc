#include "engine/table_reader.h"

#include <arrow/array/array_base.h>
#include <arrow/record_batch.h>
#include <arrow/scalar.h>
#include <arrow/table.h>
#include <arrow/type.h>
#include <arrow/type_traits.h>

#include <atomic>
#include <utility>
#include <vector>

#include "ariadne/errors.h"
#include "engine/embedded_database.h"
#include "engine/query_stream.h"
#include "engine/table_format.h"
#include "scan/scan_function.h"
#include "source/parquet_source.h"
#include "storage/arrow_io.h"

namespace ariadne::engine {

namespace {

class TableReader {
 public:
  TableReader(std::shared_ptr<EmbeddedDatabase> database, std::string url)
      : database_(std::move(database)), url_(std::move(url)) {}

  std::shared_ptr<arrow::Table> Read() {
    const std::string file = Session::Literal(url_);
    switch (FormatOf(url_)) {
      case TableFormat::kParquet:
        return ReadParquet();
      case TableFormat::kCsv:
        return ReadCsv("header = true");
      case TableFormat::kTsv:
        return ReadCsv("header = true, delim = '\t'");
      case TableFormat::kJson:
        return Run("SELECT * FROM read_json(" + file + ", sample_size = -1)");
      case TableFormat::kJsonLines:
        return Run("SELECT * FROM read_json(" + file +
                   ", format = 'newline_delimited', sample_size = -1)");
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

  // Types are found over all rows. What looks like numbers but would not print as it was written
  // (a leading zero or plus sign) is a name, not a number.
  std::shared_ptr<arrow::Table> ReadCsv(const std::string& options) {
    const std::string source = "read_csv(" + Session::Literal(url_) + ", " + options +
                               ", sample_size = -1, hive_partitioning = false";
    auto table = Run("SELECT * FROM " + source + ")");
    std::vector<std::string> numbers;
    for (const auto& field : table->schema()->fields()) {
      const auto id = field->type()->id();
      if (arrow::is_integer(id) || arrow::is_floating(id) || arrow::is_decimal(id)) {
        numbers.push_back(field->name());
      }
    }
    if (numbers.empty()) return table;
    std::string probe = "SELECT ";
    for (const auto& name : numbers) {
      if (&name != &numbers.front()) probe += ", ";
      probe += "coalesce(bool_or(regexp_matches(trim(" + Session::Quote(name) +
               "), '^[+]|^-?0[0-9]')), false)";
    }
    const auto found = Run(probe + " FROM " + source + ", all_varchar = true)");
    std::string types;
    for (size_t i = 0; i < numbers.size(); ++i) {
      const auto cell = found->column(static_cast<int>(i))->GetScalar(0);
      ThrowIfFailed(cell.status());
      if ((*cell)->ToString() != "true") continue;
      types += (types.empty() ? "" : ", ") + Session::Literal(numbers[i]) + ": 'VARCHAR'";
    }
    if (types.empty()) return table;
    return Run("SELECT * FROM " + source + ", types = {" + types + "})");
  }

  std::shared_ptr<EmbeddedDatabase> database_;
  std::string url_;
};

}  // namespace

std::shared_ptr<arrow::Table> ReadTable(const std::shared_ptr<EmbeddedDatabase>& database,
                                        const std::string& url) {
  const std::string full = ToUrl(url);
  const auto object = database->stores->Resolve(full);
  if (!object.store->Head(object.path)) {
    throw FileNotFound("'" + url + "' does not exist: check the name of the table to read");
  }
  try {
    return TableReader(database, full).Read();
  } catch (const QueryError& error) {
    const std::string message = error.what();
    if (message.find(full) != std::string::npos) throw InvalidFile(message);
    throw InvalidFile("Reading '" + url + "': " + message);
  }
}

}  // namespace ariadne::engine
