#include "versioned_lake.h"

#include <arrow/json/from_string.h>

namespace ariadne::testing {

namespace {

template <typename T>
std::string Json(const std::optional<T>& value) {
  return value ? std::to_string(*value) : "null";
}
std::string Json(const std::optional<std::string>& value) {
  return value ? '"' + *value + '"' : "null";
}

std::string Json(const VersionedRow::Tag& tag) {
  return "[" + Json(tag.k) + "," + (tag.q ? "[" + Json(*tag.q) + "]" : "null") + "]";
}

std::string Json(const VersionedRow& row) {
  std::string text = "[" + Json(row.name) + "," + Json(row.id) + "," + Json(row.at) + ",";
  text += row.changed ? "[" + Json(*row.changed) + "]," : "null,";
  if (row.tags) {
    std::string tags;
    for (const auto& tag : *row.tags)
      tags += (tags.empty() ? "" : ",") + (tag ? Json(*tag) : "null");
    text += "[" + tags + "],";
  } else {
    text += "null,";
  }
  if (row.numbers) {
    std::string numbers;
    for (const auto& number : *row.numbers) numbers += (numbers.empty() ? "" : ",") + Json(number);
    text += "[" + numbers + "],";
  } else {
    text += "null,";
  }
  return text + std::to_string(row.v) + "]";
}

const auto kTime = arrow::timestamp(arrow::TimeUnit::MICRO, "UTC");

/// Greater is newer; NULL is the oldest.
std::optional<int64_t> TimeOf(const VersionedRow& row, bool nested) {
  if (!nested) return row.at;
  return row.changed ? *row.changed : std::nullopt;
}

}  // namespace

std::shared_ptr<arrow::Schema> VersionedSchema() {
  const auto tag =
      arrow::struct_({arrow::field("k", arrow::utf8()),
                      arrow::field("p", arrow::struct_({arrow::field("q", arrow::int32())}))});
  return arrow::schema(
      {arrow::field("name", arrow::utf8()), arrow::field("id", arrow::int64()),
       arrow::field("at", kTime),
       arrow::field("meta", arrow::struct_({arrow::field("changed", kTime)})),
       arrow::field("tags", arrow::list(arrow::field("element", tag))),
       arrow::field("numbers", arrow::list(arrow::field("element", arrow::int64()))),
       arrow::field("v", arrow::int64())});
}

VersionedRow RandomVersionedRow(std::mt19937& random, int64_t v) {
  const auto some = [&] { return random() % 5 != 0; };
  VersionedRow row;
  row.v = v;
  if (some()) row.name = "n" + std::to_string(random() % 7);
  if (some()) row.id = static_cast<int64_t>(random() % 6);
  if (some()) row.at = static_cast<int64_t>(random() % 5) * 1'000'000'000'003;
  if (some()) row.changed.emplace();
  if (row.changed && some()) row.changed = static_cast<int64_t>(random() % 5) - 2;
  if (some()) row.tags.emplace();
  for (auto left = row.tags ? random() % 4 : 0; left > 0; --left) {
    std::optional<VersionedRow::Tag> tag;
    if (some()) tag.emplace();
    if (tag && some()) tag->k = "k" + std::to_string(random() % 5);
    if (tag && some()) tag->q.emplace();
    if (tag && tag->q && some()) tag->q = static_cast<int32_t>(random() % 5);
    row.tags->push_back(tag);
  }
  if (some()) row.numbers.emplace();
  for (auto left = row.numbers ? random() % 4 : 0; left > 0; --left) {
    row.numbers->push_back(some() ? std::optional<int64_t>(random() % 9) : std::nullopt);
  }
  return row;
}

std::shared_ptr<arrow::Table> ToTable(const std::vector<VersionedRow>& rows) {
  std::string text;
  for (const auto& row : rows) text += (text.empty() ? "" : ",") + Json(row);
  const auto schema = VersionedSchema();
  const auto array =
      *arrow::json::ArrayFromJSONString(arrow::struct_(schema->fields()), "[" + text + "]");
  return arrow::Table::Make(schema, static_cast<const arrow::StructArray&>(*array).fields(),
                            array->length());
}

std::string VersionedFiles::Add(const std::vector<VersionedRow>& rows) {
  const std::string uri = data.Add(ToTable(rows));
  rows_of[uri] = rows;
  return uri;
}

void VersionedFiles::AddRandom(std::mt19937& random, int files, int max_rows) {
  for (int file = 0; file < files; ++file) {
    std::vector<VersionedRow> rows;
    for (auto left = static_cast<int>(random() % (max_rows + 1)); left > 0; --left) {
      rows.push_back(RandomVersionedRow(random, next_v++));
    }
    Add(rows);
  }
}

std::vector<VersionedRow> VersionedFiles::Rows() const {
  std::vector<VersionedRow> all;
  for (const auto& [uri, rows] : rows_of) all.insert(all.end(), rows.begin(), rows.end());
  return all;
}

std::vector<VersionedRow> NewestRows(const std::vector<VersionedRow>& rows, bool by_name,
                                     bool nested) {
  const auto key = [&](const VersionedRow& row) {
    return by_name ? (row.name ? *row.name : "") : Json(row.id);
  };
  std::vector<VersionedRow> newest;
  for (size_t i = 0; i < rows.size(); ++i) {
    bool superseded = false;
    for (size_t other = 0; other < rows.size(); ++other) {
      if (key(rows[other]) != key(rows[i])) continue;
      const auto time = TimeOf(rows[i], nested), others = TimeOf(rows[other], nested);
      superseded |= others > time || (others == time && other < i);
    }
    if (!superseded) newest.push_back(rows[i]);
  }
  return newest;
}

}  // namespace ariadne::testing
