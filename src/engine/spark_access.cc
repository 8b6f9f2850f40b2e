#include "engine/spark_access.h"

#include <memory>
#include <string_view>
#include <utility>

#include <arrow/array/array_nested.h>
#include <arrow/array/builder_base.h>
#include <arrow/type.h>

#include "engine/spark_cast.h"
#include "engine/spark_coercion.h"
#include "engine/spark_kernel.h"
#include "source/name_match.h"

namespace ariadne::engine {

namespace {

int FieldPlace(const arrow::DataType& type, const std::string& name) {
  const int place = source::FindName(
      type.num_fields(), [&type](int i) -> std::string_view { return type.field(i)->name(); },
      name);
  if (place == source::kNameMissing) {
    throw UnsupportedSpark("there is no field '" + name + "' in " + type.ToString());
  }
  if (place == source::kNameAmbiguous) {
    throw UnsupportedSpark("several fields are called '" + name + "', letter case aside");
  }
  return place;
}

std::shared_ptr<arrow::Array> FieldOf(const arrow::Array& structs, int place) {
  return Checked(static_cast<const arrow::StructArray&>(structs).GetFlattenedField(place));
}

}  // namespace

SparkNodePtr FieldNode(const SparkNodePtr& of, const std::string& name) {
  const auto& type = of->type;
  if (type->id() == arrow::Type::STRUCT) {
    const int place = FieldPlace(*type, name);
    return KernelNode(type->field(place)->type(), {of},
                      [place](const SparkArrays& in, int64_t) { return FieldOf(*in[0], place); });
  }
  if (type->id() == arrow::Type::LIST && type->field(0)->type()->id() == arrow::Type::STRUCT) {
    const auto& element = *type->field(0)->type();
    const int place = FieldPlace(element, name);
    const auto result = arrow::list(arrow::field("element", element.field(place)->type()));
    return KernelNode(result, {of}, [place, result](const SparkArrays& in, int64_t) {
      const auto& lists = static_cast<const arrow::ListArray&>(*in[0]);
      auto data = lists.data()->Copy();
      data->type = result;
      data->child_data = {FieldOf(*lists.values(), place)->data()};
      return arrow::MakeArray(data);
    });
  }
  throw UnsupportedSpark("'." + name + "' asks for a field of " + TypeName(type) +
                         ", which is no struct");
}

SparkNodePtr ElementNode(const SparkNodePtr& of, const SparkNodePtr& index) {
  const auto& type = of->type;
  if (type->id() != arrow::Type::LIST) {
    throw UnsupportedSpark("'[...]' asks for an element of " + TypeName(type) +
                           ", which is no array");
  }
  if (!IsInteger(index->type) && !IsNullType(index->type)) {
    throw UnsupportedSpark("an array's place is an integer, not " + TypeName(index->type));
  }
  const auto result = type->field(0)->type();
  return KernelNode(
      result, {of, Cast(index, arrow::int32())}, [result](const SparkArrays& in, int64_t rows) {
        const auto& lists = static_cast<const arrow::ListArray&>(*in[0]);
        // A bigint is cut to its low 32 bits.
        const Values<int32_t> places(*in[1]);
        std::unique_ptr<arrow::ArrayBuilder> builder;
        Check(arrow::MakeBuilder(arrow::default_memory_pool(), result, &builder));
        const arrow::ArrayData& elements = *lists.values()->data();
        for (int64_t row = 0; row < rows; ++row) {
          const bool known = lists.IsValid(row) && !places.IsNull(row);
          if (known && places[row] >= 0 && places[row] < lists.value_length(row)) {
            Check(builder->AppendArraySlice(elements, lists.value_offset(row) + places[row], 1));
          } else {
            Check(builder->AppendNull());
          }
        }
        std::shared_ptr<arrow::Array> out;
        Check(builder->Finish(&out));
        return out;
      });
}

}  // namespace ariadne::engine
