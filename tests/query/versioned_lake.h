#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <arrow/api.h>

#include "random_lake.h"

namespace ariadne::testing {

/// A row of a lake whose rows are versions of things, and hold arrays.
struct VersionedRow {
  struct Tag {
    std::optional<std::string> k;
    std::optional<std::optional<int32_t>> q;  ///< The outer one: the struct `p` around it.
  };
  std::optional<std::string> name;
  std::optional<int64_t> id;
  std::optional<int64_t> at;                      ///< Microseconds.
  std::optional<std::optional<int64_t>> changed;  ///< `meta.changed`; the outer one: `meta`.
  std::optional<std::vector<std::optional<Tag>>> tags;
  std::optional<std::vector<std::optional<int64_t>>> numbers;
  int64_t v = 0;  ///< Tells the row from every other one.
};

/// name, id, at, meta: struct<changed>, tags: array<struct<k, p: struct<q>>>, numbers, v.
std::shared_ptr<arrow::Schema> VersionedSchema();
/// Few distinct names, ids and times, so that versions meet and tie; about a fifth are NULL.
VersionedRow RandomVersionedRow(std::mt19937& random, int64_t v);
std::shared_ptr<arrow::Table> ToTable(const std::vector<VersionedRow>& rows);

/// Files of such rows. Rows of all files, in the order of the files' names, are `rows`.
struct VersionedFiles {
  explicit VersionedFiles(std::filesystem::path folder) : data(std::move(folder)) {}
  std::string Add(const std::vector<VersionedRow>& rows);
  /// Adds files of random rows.
  void AddRandom(std::mt19937& random, int files, int max_rows);
  [[nodiscard]] std::vector<VersionedRow> Rows() const;

  DataFiles data;
  std::map<std::string, std::vector<VersionedRow>> rows_of;  ///< By URI.
  int64_t next_v = 0;
};

/// The rows that are the newest of their name (`by_name`, of equal times the first), or have none.
/// `nested`: by meta.changed, else by at.
std::vector<VersionedRow> NewestRows(const std::vector<VersionedRow>& rows, bool by_name,
                                     bool nested);

}  // namespace ariadne::testing
