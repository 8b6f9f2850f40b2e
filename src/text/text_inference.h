#pragma once

#include <memory>
#include <vector>

#include <arrow/io/type_fwd.h>
#include <arrow/type_fwd.h>

#include "text/text_format.h"
#include "text/text_reader.h"

namespace ariadne::text {

/// A file whose rows tell a schema.
struct InferenceFile {
  std::shared_ptr<arrow::io::RandomAccessFile> file;
  TextName name;
};

/// The schema that Spark 3.5 infers for CSV files, without columns of folders: names from the first
/// line of the largest file (of the first with `multiLine`) where `header` is true, else `_c0`,
/// `_c1`, ...; all strings, or with `inferSchema` the narrowest types that hold every value of all
/// files. Without any line: no column. Throws InvalidFile, StorageError.
std::shared_ptr<arrow::Schema> InferCsvSchema(const std::vector<InferenceFile>& files,
                                              const TextOptions& options);

/// The schema that Spark 3.5 infers for JSON files from all records of all files, its fields by
/// name. A record that is no JSON counts for nothing (Spark adds a column for such records, which
/// cannot be had here), and ends inferring with InvalidFile in mode FAILFAST. Throws InvalidFile,
/// StorageError.
std::shared_ptr<arrow::Schema> InferJsonSchema(const std::vector<InferenceFile>& files,
                                               const TextOptions& options);

/// The decimal that holds both, as Spark widens them; nullptr where it would have more than 38
/// digits.
std::shared_ptr<arrow::DataType> WiderDecimal(const arrow::DataType& a, const arrow::DataType& b);

}  // namespace ariadne::text
