#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <arrow/api.h>

#include "ariadne/index.h"
#include "random_lake.h"

namespace ariadne::testing {

/// The join in words: for each pair of rows whose join columns are equal and not NULL. `typed` are
/// the keys' join columns in the lake's types.
struct Oracle {
  std::shared_ptr<arrow::Table> lake, keys, typed;
  JoinOptions options;

  [[nodiscard]] std::vector<int> OtherLake() const {
    std::vector<int> columns;
    for (const std::string& name :
         options.select.empty() ? lake->schema()->field_names() : options.select) {
      if (std::count(options.on.begin(), options.on.end(), name) == 0) {
        columns.push_back(lake->schema()->GetFieldIndex(name));
      }
    }
    return columns;
  }
  [[nodiscard]] std::vector<int> OtherKeys() const {
    std::vector<int> columns;
    for (int i = 0; i < keys->num_columns(); ++i) {
      if (std::count(options.on.begin(), options.on.end(), keys->field(i)->name()) == 0) {
        columns.push_back(i);
      }
    }
    return columns;
  }
  static std::string Cell(const arrow::Table& table, int column, int64_t row) {
    return row < 0 ? "null" : Canonical(**table.column(column)->GetScalar(row));
  }

  /// A row of the result from a row of each side; -1: none.
  [[nodiscard]] std::string Row(int64_t lake_row, int64_t key_row) const {
    const bool semi = options.how == JoinType::kLeftSemi || options.how == JoinType::kLeftAnti;
    const bool keys_kept = options.keys_left || options.how == JoinType::kRight;
    std::string lake_part, keys_part, text;
    for (const std::string& column : options.on) {
      text += (keys_kept ? Cell(*keys, keys->schema()->GetFieldIndex(column), key_row)
                         : Cell(*lake, lake->schema()->GetFieldIndex(column), lake_row)) +
              "|";
    }
    for (const int column : OtherLake()) lake_part += Cell(*lake, column, lake_row) + "|";
    for (const int column : OtherKeys()) keys_part += Cell(*keys, column, key_row) + "|";
    if (options.keys_left) return text + keys_part + (semi ? "" : lake_part);
    return text + lake_part + (semi ? "" : keys_part);
  }

  [[nodiscard]] std::multiset<std::string> Result() const {
    const auto key_text = [&](const arrow::Table& table, int64_t row) {
      std::string text;
      for (const std::string& column : options.on) {
        const auto cell = *table.GetColumnByName(column)->GetScalar(row);
        if (!cell->is_valid) return std::string();
        text += Canonical(*cell) + "|";
      }
      return text;
    };
    std::multimap<std::string, int64_t> lake_rows;
    for (int64_t row = 0; row < lake->num_rows(); ++row)
      lake_rows.emplace(key_text(*lake, row), row);
    std::multiset<std::string> result;
    std::set<int64_t> lake_matched;
    for (int64_t key = 0; key < keys->num_rows(); ++key) {
      const std::string text = key_text(*typed, key);
      const auto [begin, end] = lake_rows.equal_range(text);
      const bool matches = !text.empty() && begin != end;
      if (options.how == JoinType::kLeftAnti) {
        if (!matches) result.insert(Row(-1, key));
        continue;
      }
      if (options.how == JoinType::kLeftSemi && options.keys_left) {
        if (matches) result.insert(Row(-1, key));
        continue;
      }
      if (!matches) {
        if (options.how == JoinType::kLeft || options.how == JoinType::kRight) {
          result.insert(Row(-1, key));
        }
        continue;
      }
      for (auto it = begin; it != end; ++it) {
        if (options.how == JoinType::kLeftSemi) {
          lake_matched.insert(it->second);
        } else {
          result.insert(Row(it->second, key));
        }
      }
    }
    for (const int64_t row : lake_matched) result.insert(Row(row, -1));
    return result;
  }
};

struct Way {
  bool keys_left;
  JoinType how;
};
inline constexpr Way kWays[] = {{false, JoinType::kInner},  {false, JoinType::kLeftSemi},
                                {false, JoinType::kRight},  {true, JoinType::kInner},
                                {true, JoinType::kLeft},    {true, JoinType::kLeftSemi},
                                {true, JoinType::kLeftAnti}};

}  // namespace ariadne::testing
