#include "engine/spark_expression.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include <arrow/array/concatenate.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "ariadne/errors.h"
#include "engine/session.h"
#include "engine/spark_access.h"
#include "engine/spark_cast.h"
#include "engine/spark_functions.h"
#include "engine/spark_kernel.h"
#include "engine/spark_literal.h"
#include "engine/spark_syntax.h"
#include "engine/spark_text.h"
#include "source/convert.h"
#include "source/name_match.h"
#include "source/spark_type.h"

namespace ariadne::engine {

namespace {

// Rows that are evaluated at once: what is in between stays in the processor's caches.
constexpr int64_t kSliceRows = 4096;

/// Names and types.
class Binder {
 public:
  Binder(const std::string& text, const arrow::Schema& schema) : text_(text), schema_(schema) {}

  SparkNodePtr Bind(const SparkSyntax& syntax) {
    switch (syntax.kind) {
      case SparkSyntax::Kind::kLiteral:
        return BindLiteral(syntax.literal);
      case SparkSyntax::Kind::kColumn:
        return Column(syntax.name);
      case SparkSyntax::Kind::kField:
        return FieldNode(Bind(syntax.arguments.at(0)), syntax.name);
      case SparkSyntax::Kind::kElement:
        return ElementNode(Bind(syntax.arguments.at(0)), Bind(syntax.arguments.at(1)));
      case SparkSyntax::Kind::kCall:
        break;
    }
    if (syntax.name == "cast" || syntax.name == "try_cast") return BindCast(syntax);
    SparkNodes arguments;
    for (const auto& argument : syntax.arguments) arguments.push_back(Bind(argument));
    return BindCall(syntax.name, arguments);
  }

  [[nodiscard]] const std::vector<std::shared_ptr<arrow::Field>>& fields() const { return fields_; }

 private:
  SparkNodePtr BindCast(const SparkSyntax& syntax) {
    const auto& arguments = syntax.arguments;
    if (arguments.size() != 2 || arguments[1].kind != SparkSyntax::Kind::kLiteral ||
        arguments[1].literal.kind != SparkLiteral::Kind::kType) {
      throw UnsupportedSpark("a cast is written " + syntax.name + "(value AS type)");
    }
    const auto type = ParseSparkType(arguments[1].literal.text);
    const auto value = Bind(arguments[0]);
    return syntax.name == "cast" ? Cast(value, type) : TryCast(value, type);
  }

  SparkNodePtr Column(const std::string& name) {
    const int place = source::FindName(
        schema_.num_fields(),
        [this](int i) -> std::string_view { return schema_.field(i)->name(); }, name);
    if (place == source::kNameMissing) {
      throw ColumnNotFound("The expression '" + text_ + "' reads the column '" + name +
                           "', which is not in the schema");
    }
    if (place == source::kNameAmbiguous) {
      throw UnsupportedSpark("several columns are called '" + name + "', letter case aside");
    }
    const auto& field = schema_.field(place);
    const auto known = std::find_if(fields_.begin(), fields_.end(),
                                    [&field](const auto& f) { return f->name() == field->name(); });
    const auto column = static_cast<int>(known - fields_.begin());
    if (known == fields_.end()) {
      auto type = source::SparkType(*field->type());
      if (type == nullptr) {
        throw UnsupportedSpark("Spark has no type for the column '" + field->name() + "'");
      }
      fields_.push_back(arrow::field(field->name(), std::move(type)));
    }
    return ColumnNode(column, fields_[column]->type());
  }

  const std::string& text_;
  const arrow::Schema& schema_;
  std::vector<std::shared_ptr<arrow::Field>> fields_;
};

}  // namespace

std::shared_ptr<const SparkExpression> SparkExpression::Compile(const std::string& text,
                                                                const arrow::Schema& schema) {
  const SparkSyntax syntax = ParseSpark(text);
  auto out = std::shared_ptr<SparkExpression>(new SparkExpression);
  try {
    Binder binder(text, schema);
    out->root_ = binder.Bind(syntax);
    out->fields_ = binder.fields();
  } catch (const UnsupportedSpark& error) {
    ThrowUnsupported(text, error.what());
  }
  out->text_ = text;
  out->type_ = out->root_->type;
  for (const auto& field : out->fields_) out->columns_.push_back(field->name());
  return out;
}

std::shared_ptr<arrow::Array> SparkExpression::Evaluate(const arrow::RecordBatch& batch) const {
  const int64_t rows = batch.num_rows();
  SparkArrays columns;
  for (const auto& field : fields_) {
    auto column = batch.GetColumnByName(field->name());
    if (column == nullptr) {
      columns.push_back(Checked(arrow::MakeArrayOfNull(field->type(), rows)));
      continue;
    }
    auto converted = source::ConvertExactly(column, field->type());
    if (!converted.ok()) {
      throw InvalidFile("The column '" + field->name() + "' cannot be read as " +
                        field->type()->ToString() + " for the expression '" + text_ +
                        "': " + converted.status().message());
    }
    columns.push_back(*converted);
  }
  SparkArrays slices;
  for (int64_t start = 0; start < rows || slices.empty(); start += kSliceRows) {
    const int64_t count = std::min(kSliceRows, rows - start);
    SparkArrays parts;
    for (const auto& column : columns) parts.push_back(column->Slice(start, count));
    slices.push_back(EvaluateNode(*root_, parts, count));
  }
  return slices.size() == 1 ? slices[0] : Checked(arrow::Concatenate(slices));
}

std::string SparkExpression::ToDuckSql() const {
  std::string columns;
  for (const auto& column : columns_) {
    columns +=
        (columns.empty() ? "" : ", ") + Session::Literal(column) + ": " + Session::Quote(column);
  }
  // A struct needs a member.
  if (columns.empty()) columns = "'-': NULL";
  return std::string(kSparkFunction) + "(" + Session::Literal(text_) + ", {" + columns + "})";
}

}  // namespace ariadne::engine
