#pragma once

#include <map>
#include <memory>
#include <string>

#include <arrow/type_fwd.h>

namespace ariadne::engine {

struct EmbeddedDatabase;

/// Names of columns, and what a quoted empty field in them is.
enum class QuotedEmpty { kText, kNull };
using WrittenColumns = std::map<std::string, QuotedEmpty>;

/// Reads a .parquet, .csv, .tsv, .json, .ndjson or .jsonl file whole (the text ones also as .gz):
/// - Parquet has the types that Spark reads from it;
/// - CSV begins with a header line; types come from all of its rows, and a column of numbers of
///   which one has a leading zero or plus sign is text; an empty field is NULL;
/// - JSON is an array of objects or one object a line.
/// Throws FileNotFound, InvalidFile naming the file, InvalidArgument for another suffix.
/// `written`: columns of a CSV file that stay text, as it is written there.
std::shared_ptr<arrow::Table> ReadTable(const std::shared_ptr<EmbeddedDatabase>& database,
                                        const std::string& url, const WrittenColumns& written);

}  // namespace ariadne::engine
