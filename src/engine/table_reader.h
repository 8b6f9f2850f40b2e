#pragma once

#include <map>
#include <memory>
#include <string>

#include <arrow/type_fwd.h>

namespace ariadne::engine {

struct EmbeddedDatabase;

/// How a column of a CSV or JSON file is read that is to be what is written there, by its name.
enum class Written {
  kText,    ///< As it is written; a quoted empty field of a CSV file is the empty text.
  kNumber,  ///< The same, but such a field is NULL.
  /// Typed where all are integers of 64 bits, else as kNumber: a type that holds them all would
  /// round the large ones.
  kInteger
};
using WrittenColumns = std::map<std::string, Written>;

/// Reads a .parquet, .csv, .tsv, .json, .ndjson or .jsonl file whole (the text ones also as .gz):
/// - Parquet has the types that Spark reads from it;
/// - CSV begins with a header line; types come from all of its rows, and a column of numbers of
///   which one has a leading zero or plus sign is text; an empty field is NULL;
/// - JSON is an array of objects or one object a line; numbers that no integer of 64 bits holds are
///   doubles.
/// Throws FileNotFound, InvalidFile naming the file, InvalidArgument for another suffix.
/// `delimiter`: what stands between the fields of a CSV file; empty: a tab in .tsv, else a comma.
std::shared_ptr<arrow::Table> ReadTable(const std::shared_ptr<EmbeddedDatabase>& database,
                                        const std::string& url, const WrittenColumns& written,
                                        const std::string& delimiter);

}  // namespace ariadne::engine
