#pragma once

#include <memory>
#include <string>
#include <vector>

#include <arrow/type_fwd.h>
#include <nlohmann/json.hpp>

namespace ariadne::engine {

/// A table of edge values that Spark evaluated expressions over, see tests/engine/spark.
struct SparkTable {
  std::string name;
  std::shared_ptr<arrow::RecordBatch> rows;
};

/// What Spark answered for one expression: an error, or a value a row.
struct SparkAnswer {
  std::string table;
  std::string expression;
  std::string error;
  std::string type;
  nlohmann::json values;
};

struct SparkAnswers {
  std::vector<SparkTable> tables;
  std::vector<SparkAnswer> answers;
};

/// Reads the gzipped lines that tests/engine/spark/run.sh wrote.
SparkAnswers ReadSparkAnswers(const std::string& path);

/// One value in the form that the answers have it.
nlohmann::json AnswerOf(const arrow::Array& array, int64_t row);

}  // namespace ariadne::engine
