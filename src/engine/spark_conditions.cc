#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <arrow/array/builder_base.h>
#include <arrow/type.h>

#include "engine/spark_cast.h"
#include "engine/spark_coercion.h"
#include "engine/spark_functions.h"
#include "engine/spark_kernel.h"
#include "engine/spark_utf8.h"

namespace ariadne::engine {

namespace {

constexpr size_t kNone = SIZE_MAX;

SparkNodePtr Condition(const SparkNodePtr& node, const std::string& where) {
  if (IsBoolean(node->type) || IsNullType(node->type)) return Cast(node, arrow::boolean());
  throw UnsupportedSpark(where + " takes a condition, not " + TypeName(node->type));
}

// Row by row the value of one of the columns: `choice(row)` is its place, kNone for NULL. All
// columns have `type`.
template <typename F>
std::shared_ptr<arrow::Array> Pick(const SparkType& type, const SparkArrays& columns, int64_t rows,
                                   F choice) {
  if (IsNullType(type)) return Checked(arrow::MakeArrayOfNull(type, rows));
  std::unique_ptr<arrow::ArrayBuilder> builder;
  Check(arrow::MakeBuilder(arrow::default_memory_pool(), type, &builder));
  Check(builder->Reserve(rows));
  for (int64_t row = 0; row < rows;) {
    const size_t from = choice(row);
    int64_t end = row + 1;
    while (end < rows && choice(end) == from) ++end;
    if (from == kNone) {
      Check(builder->AppendNulls(end - row));
    } else {
      Check(builder->AppendArraySlice(*columns[from]->data(), row, end - row));
    }
    row = end;
  }
  std::shared_ptr<arrow::Array> out;
  Check(builder->Finish(&out));
  return out;
}

// Condition, value, ..., else. The kernel's arguments are in that order too.
SparkNodePtr BindCase(const SparkNodes& arguments) {
  SparkNodes values;
  for (size_t i = 1; i < arguments.size(); i += 2) values.push_back(arguments[i]);
  values.push_back(arguments.back());
  const auto type = CommonType(values);
  if (type == nullptr) throw UnsupportedSpark("the values of CASE or IF have no type in common");
  SparkNodes converted;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const bool condition = i % 2 == 0 && i + 1 < arguments.size();
    converted.push_back(condition ? Condition(arguments[i], "CASE or IF")
                                  : Cast(arguments[i], type));
  }
  return KernelNode(type, std::move(converted), [type](const SparkArrays& in, int64_t rows) {
    return Pick(type, in, rows, [&in](int64_t row) {
      for (size_t i = 0; i + 1 < in.size(); i += 2) {
        if (in[i]->IsValid(row) && Values<bool>(*in[i])[row]) return i + 1;
      }
      return in.size() - 1;
    });
  });
}

SparkNodePtr BindCoalesce(const SparkNodes& arguments) {
  const auto type = CommonType(arguments);
  if (type == nullptr) throw UnsupportedSpark("the values of COALESCE have no type in common");
  SparkNodes converted;
  for (const auto& argument : arguments) converted.push_back(Cast(argument, type));
  return KernelNode(type, std::move(converted), [type](const SparkArrays& in, int64_t rows) {
    return Pick(type, in, rows, [&in](int64_t row) {
      for (size_t i = 0; i < in.size(); ++i) {
        if (in[i]->IsValid(row)) return i;
      }
      return kNone;
    });
  });
}

SparkNodePtr BindNullIf(const SparkNodes& arguments) {
  const auto same = BindCall("=", arguments);
  return BindCase({same, NullNode(arguments[0]->type), arguments[0]});
}

// Three-valued: `decisive` wins over NULL.
template <bool decisive>
SparkNodePtr BindLogic(const SparkNodes& arguments) {
  const std::string name = decisive ? "OR" : "AND";
  return KernelNode(arrow::boolean(),
                    {Condition(arguments[0], name), Condition(arguments[1], name)},
                    [](const SparkArrays& in, int64_t rows) {
                      const Values<bool> a(*in[0]);
                      const Values<bool> b(*in[1]);
                      Writer<bool> writer(rows);
                      for (int64_t row = 0; row < rows; ++row) {
                        const bool decided = (!a.IsNull(row) && a[row] == decisive) ||
                                             (!b.IsNull(row) && b[row] == decisive);
                        if (decided) {
                          writer.Append(decisive);
                        } else if (a.IsNull(row) || b.IsNull(row)) {
                          writer.AppendNull();
                        } else {
                          writer.Append(!decisive);
                        }
                      }
                      return writer.Finish(arrow::boolean());
                    });
}

SparkNodePtr BindNot(const SparkNodes& arguments) {
  return KernelNode(arrow::boolean(), {Condition(arguments[0], "NOT")},
                    RowKernel<bool>(arrow::boolean(), [](bool v) { return !v; }));
}

// A pattern of LIKE, ready to match: characters, and the two wildcards.
class LikePattern {
 public:
  // Empty where an escape character stands before something else than a wildcard or itself.
  static std::optional<LikePattern> Parse(std::string_view pattern, std::string_view escape) {
    LikePattern out;
    for (size_t at = 0; at < pattern.size();) {
      const size_t length = std::min(Utf8Length(pattern[at]), pattern.size() - at);
      std::string_view character = pattern.substr(at, length);
      at += length;
      if (character == escape) {
        const std::string_view next =
            at < pattern.size() ? pattern.substr(at, Utf8Length(pattern[at])) : "";
        if (next != "%" && next != "_" && next != escape) return {};
        out.parts_.push_back({Kind::kCharacter, std::string(next)});
        at += next.size();
      } else if (character == "%") {
        out.parts_.push_back({Kind::kAny, {}});
      } else if (character == "_") {
        out.parts_.push_back({Kind::kOne, {}});
      } else {
        out.parts_.push_back({Kind::kCharacter, std::string(character)});
      }
    }
    return out;
  }

  // Greedy with a step back to the last %: linear in practice.
  [[nodiscard]] bool Matches(std::string_view text) const {
    size_t part = 0;
    size_t at = 0;
    size_t last_any = kNone;
    size_t resume = 0;
    while (at < text.size()) {
      const size_t length = std::min(Utf8Length(text[at]), text.size() - at);
      if (part < parts_.size() && parts_[part].kind == Kind::kAny) {
        last_any = part++;
        resume = at;
      } else if (part < parts_.size() && (parts_[part].kind == Kind::kOne ||
                                          parts_[part].text == text.substr(at, length))) {
        ++part;
        at += length;
      } else if (last_any != kNone) {
        part = last_any + 1;
        resume += std::min(Utf8Length(text[resume]), text.size() - resume);
        at = resume;
      } else {
        return false;
      }
    }
    while (part < parts_.size() && parts_[part].kind == Kind::kAny) ++part;
    return part == parts_.size();
  }

 private:
  enum class Kind { kCharacter, kOne, kAny };
  struct Part {
    Kind kind;
    std::string text;
  };
  std::vector<Part> parts_;
};

SparkNodePtr BindLike(const SparkNodes& arguments) {
  std::string escape = "\\";
  if (arguments.size() > 2 &&
      (!ConstantText(*arguments[2], &escape) || CountCharacters(escape) != 1)) {
    throw UnsupportedSpark("ESCAPE takes one character");
  }
  const auto text = Coerce(arguments[0], arrow::utf8(), "LIKE");
  const auto pattern = Coerce(arguments[1], arrow::utf8(), "LIKE");
  const auto& type = arrow::boolean();
  std::string constant;
  if (!ConstantText(*pattern, &constant)) {
    return KernelNode(
        type, {text, pattern},
        RowKernel<std::string_view, std::string_view>(
            type, [escape](std::string_view value, std::string_view like) -> std::optional<bool> {
              const auto parsed = LikePattern::Parse(like, escape);
              if (!parsed) return {};
              return parsed->Matches(value);
            }));
  }
  const auto parsed = LikePattern::Parse(constant, escape);
  if (!parsed) {
    throw UnsupportedSpark("in the pattern '" + constant +
                           "' of LIKE an escape stands before a character that needs none");
  }
  return KernelNode(type, {text},
                    RowKernel<std::string_view>(
                        type, [p = *parsed](std::string_view value) { return p.Matches(value); }));
}

}  // namespace

void AddConditions(SparkFunctions& functions) {
  functions["case"] = {3, SparkFunction::kAnyNumber, BindCase};
  functions["if"] = {3, 3, BindCase};
  functions["coalesce"] = {1, SparkFunction::kAnyNumber, BindCoalesce};
  functions["ifnull"] = {2, 2, BindCoalesce};
  functions["nvl"] = {2, 2, BindCoalesce};
  functions["nullif"] = {2, 2, BindNullIf};
  functions["and"] = {2, 2, BindLogic<false>};
  functions["or"] = {2, 2, BindLogic<true>};
  functions["not"] = {1, 1, BindNot};
  functions["like"] = {2, 3, BindLike};
}

}  // namespace ariadne::engine
