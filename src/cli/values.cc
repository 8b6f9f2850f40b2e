#include "cli/values.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <set>

#include <arrow/array/builder_binary.h>
#include <arrow/type.h>
#include <nlohmann/json.hpp>

#include "ariadne/errors.h"
#include "source/json_numbers.h"

namespace ariadne::cli {
namespace {

constexpr std::string_view kQuoting =
    "an item in double quotes may hold commas and equal signs, and \"\" is one quote: "
    "--where 'city=\"Paris, TX\",Rome'";

std::shared_ptr<arrow::Array> TextArray(const std::vector<std::optional<std::string>>& values) {
  arrow::StringBuilder builder;
  for (const auto& value : values) {
    const auto status = value ? builder.Append(*value) : builder.AppendNull();
    if (!status.ok()) throw InvalidArgument("too many values: " + status.ToString());
  }
  std::shared_ptr<arrow::Array> array;
  if (const auto status = builder.Finish(&array); !status.ok()) {
    throw InvalidArgument("too many values: " + status.ToString());
  }
  return array;
}

// Takes one item off the front of `text`; it ends before `,`, before `also_ends` or at the end.
std::string TakeItem(std::string_view& text, char also_ends, std::string_view whole) {
  std::string item;
  if (!text.starts_with('"')) {
    const auto end = std::min(text.size(), std::min(text.find(','), text.find(also_ends)));
    item = text.substr(0, end);
    text.remove_prefix(end);
    return item;
  }
  size_t at = 1;
  for (;; ++at) {
    if (at >= text.size()) {
      throw InvalidArgument("a double quote is not closed in: " + std::string(whole) + "\n  " +
                            std::string(kQuoting));
    }
    if (text[at] == '"') {
      if (at + 1 >= text.size() || text[at + 1] != '"') break;
      ++at;
    }
    item += text[at];
  }
  text.remove_prefix(at + 1);
  if (!text.empty() && text[0] != ',' && text[0] != also_ends) {
    throw InvalidArgument("text follows a closing double quote in: " + std::string(whole) + "\n  " +
                          std::string(kQuoting));
  }
  return item;
}

std::vector<std::string> TakeList(std::string_view text, std::string_view whole) {
  std::vector<std::string> items;
  while (true) {
    items.push_back(TakeItem(text, ',', whole));
    if (text.empty()) return items;
    text.remove_prefix(1);  // The comma.
  }
}

std::vector<std::optional<std::string>> Some(std::vector<std::string> values) {
  return {std::make_move_iterator(values.begin()), std::make_move_iterator(values.end())};
}

void RefuseTwice(const std::vector<Probe>& probes) {
  std::set<std::string> seen;
  for (const Probe& probe : probes) {
    if (!seen.insert(probe.column).second) {
      throw InvalidArgument("column '" + probe.column +
                            "' is asked twice: list its values in one place, "
                            "--where 'COL=1,2' for either of two");
    }
  }
}

// Collects {"COL": [V, ...]}, repeated keys included.
class WhereReader : public nlohmann::json_sax<nlohmann::json> {
 public:
  std::vector<std::pair<std::string, std::vector<std::optional<std::string>>>> columns;
  std::string problem;

  bool null() override { return Value(std::nullopt); }
  bool boolean(bool value) override { return Value(value ? "true" : "false"); }
  bool number_integer(number_integer_t value) override { return Value(std::to_string(value)); }
  bool number_unsigned(number_unsigned_t value) override { return Value(std::to_string(value)); }
  bool number_float(number_float_t, const string_t& text) override { return Value(text); }
  bool string(string_t& value) override { return Value(value); }
  bool binary(binary_t&) override { return Fail("binary values do not occur in JSON"); }
  bool start_object(std::size_t) override {
    if (depth_ != 0) return Fail("a value may not be an object");
    ++depth_;
    return true;
  }
  bool key(string_t& name) override {
    columns.emplace_back(name, std::vector<std::optional<std::string>>{});
    return true;
  }
  bool end_object() override {
    --depth_;
    return true;
  }
  bool start_array(std::size_t) override {
    if (depth_ == 0) return Fail("the whole must be an object");
    if (depth_ == 2) return Fail("a value may not be a list");
    ++depth_;
    return true;
  }
  bool end_array() override {
    --depth_;
    return true;
  }
  bool parse_error(std::size_t, const std::string&,
                   const nlohmann::detail::exception& error) override {
    // "[json.exception.parse_error.101] parse error at line 1, column 3: syntax error while ...";
    // the place is that of the rewritten text, so it is left out.
    const std::string_view text = error.what();
    const auto at = text.find(": ");
    return Fail(std::string(at == std::string_view::npos ? text : text.substr(at + 2)));
  }

 private:
  bool Value(std::optional<std::string> value) {
    if (depth_ == 0) return Fail("the whole must be an object");
    columns.back().second.push_back(std::move(value));
    return true;
  }
  bool Fail(std::string text) {
    if (problem.empty()) problem = std::move(text);
    return false;
  }

  int depth_ = 0;  // 1: in the object, 2: in a column's list.
};

bool IsAbsolute(std::string_view text) {
  if (text.starts_with('/')) return true;
  const auto colon = text.find(":/");
  return colon != std::string_view::npos && colon > 0 &&
         std::all_of(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(colon), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  c == '+' || c == '-' || c == '.';
         });
}

std::optional<double> Number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

std::vector<std::string> SplitList(std::string_view text) { return TakeList(text, text); }

std::vector<std::string> SplitLists(const std::vector<std::string>& texts) {
  std::vector<std::string> items;
  for (const std::string& text : texts) {
    for (std::string& item : SplitList(text)) items.push_back(std::move(item));
  }
  return items;
}

Probe ParseWhere(std::string_view text) {
  std::string_view rest = text;
  Probe probe;
  // A column's name may hold a comma as it stands: the equal sign ends it.
  if (rest.starts_with('"')) {
    probe.column = TakeItem(rest, '=', text);
  } else {
    const auto equal = rest.find('=');
    probe.column = rest.substr(0, equal);
    rest.remove_prefix(std::min(equal, rest.size()));
  }
  if (!rest.starts_with('=') || probe.column.empty()) {
    throw InvalidArgument("--where needs COL=V[,V]..., got: " + std::string(text));
  }
  rest.remove_prefix(1);
  probe.values = TextArray(Some(TakeList(rest, text)));
  return probe;
}

std::vector<Probe> ParseWheres(const std::vector<std::string>& texts) {
  std::vector<Probe> probes;
  probes.reserve(texts.size());
  for (const auto& text : texts) probes.push_back(ParseWhere(text));
  RefuseTwice(probes);
  return probes;
}

std::vector<Probe> ParseWhereJson(const std::string& text) {
  WhereReader reader;
  if (!nlohmann::json::sax_parse(source::QuoteNumbers(text), &reader)) {
    throw InvalidArgument("--where-json needs an object such as {\"COL\": [1, \"a\", null]}: " +
                          (reader.problem.empty() ? "it cannot be read" : reader.problem));
  }
  if (reader.columns.empty()) {
    throw InvalidArgument("--where-json names no column; write {\"COL\": [1, \"a\", null]}");
  }
  std::vector<Probe> probes;
  for (const auto& [column, values] : reader.columns) {
    probes.push_back({column, TextArray(values)});
  }
  RefuseTwice(probes);
  return probes;
}

int64_t ParseSize(std::string_view text) {
  struct Unit {
    std::string_view name;
    double bytes;
  };
  constexpr std::array<Unit, 10> kUnits{{{"", 1},
                                         {"B", 1},
                                         {"KB", 1e3},
                                         {"MB", 1e6},
                                         {"GB", 1e9},
                                         {"TB", 1e12},
                                         {"KIB", 1024.0},
                                         {"MIB", 1024.0 * 1024},
                                         {"GIB", 1024.0 * 1024 * 1024},
                                         {"TIB", 1024.0 * 1024 * 1024 * 1024}}};
  auto digits = text.find_first_not_of("0123456789.");
  if (digits == std::string_view::npos) digits = text.size();
  std::string name;
  for (char c : text.substr(digits)) {
    if (c != ' ') name += static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
  }
  const auto number = Number(text.substr(0, digits));
  const auto* unit = std::find_if(kUnits.begin(), kUnits.end(),
                                  [&](const Unit& candidate) { return candidate.name == name; });
  if (number && unit != kUnits.end()) {
    const double bytes = std::floor(*number * unit->bytes);
    if (bytes >= 1 && bytes < static_cast<double>(std::numeric_limits<int64_t>::max())) {
      return static_cast<int64_t>(bytes);
    }
  }
  throw InvalidArgument("'" + std::string(text) + "' is no size: write 512MB, 1.5GiB or bytes");
}

PathMapping ParsePathMapping(std::string_view text) {
  for (auto at = text.find('='); at != std::string_view::npos; at = text.find('=', at + 1)) {
    if (IsAbsolute(text.substr(0, at)) && IsAbsolute(text.substr(at + 1))) {
      return {std::string(text.substr(0, at)), std::string(text.substr(at + 1))};
    }
  }
  throw InvalidArgument("--path-map needs FROM=TO, both a URL or an absolute path, got: " +
                        std::string(text) + "\n  e.g. --path-map s3a://lake=/mnt/lake");
}

std::pair<std::string, std::string> ParseKeyValue(std::string_view flag, std::string_view text) {
  const auto equal = text.find('=');
  if (equal == std::string_view::npos || equal == 0) {
    throw InvalidArgument(std::string(flag) + " needs KEY=VALUE, got: " + std::string(text));
  }
  return {std::string(text.substr(0, equal)), std::string(text.substr(equal + 1))};
}

IndexedColumn ParseBloom(std::string_view text) {
  IndexedColumn result{.kind = IndexedColumn::Kind::kBloom, .column = std::string(text)};
  const auto colon = text.rfind(':');
  if (colon != std::string_view::npos) {
    if (const auto rate = Number(text.substr(colon + 1))) {
      result.column = text.substr(0, colon);
      result.fpr = *rate;
    }
  }
  if (result.column.empty()) {
    throw InvalidArgument("--bloom needs COL or COL:FPR, got: " + std::string(text));
  }
  return result;
}

void CheckRates(const std::vector<IndexedColumn>& columns, const arrow::Schema& schema) {
  for (const IndexedColumn& column : columns) {
    const auto colon = column.column.rfind(':');
    if (column.kind != IndexedColumn::Kind::kBloom || colon == std::string::npos) continue;
    if (schema.GetFieldByName(column.column)) continue;
    if (!schema.GetFieldByName(column.column.substr(0, colon))) continue;
    throw InvalidArgument("--bloom " + column.column + ": '" + column.column.substr(colon + 1) +
                          "' is no false positive rate, such as 0.01, and there is no column '" +
                          column.column + "'");
  }
}

IndexedColumn ParseComputed(std::string_view text) {
  const auto equal = text.find('=');
  if (equal == std::string_view::npos || equal == 0 || equal + 1 == text.size()) {
    throw InvalidArgument("--computed needs NAME=EXPR, such as year=year(ts), got: " +
                          std::string(text));
  }
  return {.kind = IndexedColumn::Kind::kComputed,
          .column = std::string(text.substr(0, equal)),
          .expression = std::string(text.substr(equal + 1))};
}

IndexedColumn ParseTemporal(std::string_view text) {
  const auto colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0 || colon + 1 == text.size()) {
    throw InvalidArgument("--temporal needs COL:TIMESTAMP, such as user_id:updated_at, got: " +
                          std::string(text));
  }
  return {.kind = IndexedColumn::Kind::kTemporal,
          .column = std::string(text.substr(0, colon)),
          .timestamp_column = std::string(text.substr(colon + 1))};
}

IndexedColumn ParseExploded(std::string_view text) {
  const auto colon = text.rfind(':');
  const auto path = text.substr(0, colon);
  const auto dot = path.find('.');
  const bool dangling = dot != std::string_view::npos && (dot == 0 || path.ends_with('.'));
  if (colon == std::string_view::npos || path.empty() || colon + 1 == text.size() || dangling) {
    throw InvalidArgument(
        "--exploded needs ARRAY:NAME or ARRAY.FIELD:NAME, such as tags.k:tag, "
        "got: " +
        std::string(text));
  }
  IndexedColumn result{.kind = IndexedColumn::Kind::kExploded,
                       .column = std::string(text.substr(colon + 1)),
                       .array_column = std::string(path.substr(0, dot))};
  if (dot != std::string_view::npos) result.field_path = std::string(path.substr(dot + 1));
  return result;
}

void SplitBehindColumns(std::vector<IndexedColumn>* columns, const arrow::Schema& schema) {
  for (IndexedColumn& column : *columns) {
    if (column.kind != IndexedColumn::Kind::kExploded || column.field_path.empty()) continue;
    const std::string path = column.array_column + "." + column.field_path;
    for (size_t end = path.size(); end != std::string::npos; end = path.rfind('.', end - 1)) {
      if (schema.GetFieldByName(path.substr(0, end)) == nullptr) continue;
      column.array_column = path.substr(0, end);
      column.field_path = end < path.size() ? path.substr(end + 1) : "";
      break;
    }
  }
}

}  // namespace ariadne::cli
