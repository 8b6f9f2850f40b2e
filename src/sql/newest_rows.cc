#include "sql/newest_rows.h"

#include <atomic>
#include <utility>

#include "ariadne/errors.h"
#include "duckdb/common/exception.hpp"
#include "duckdb/main/client_context.hpp"
#include "duckdb/main/connection.hpp"
#include "duckdb/main/query_result.hpp"
#include "engine/session.h"
#include "query/lake_relation.h"

namespace ariadne::sql {

namespace {

/// Files that SQL can name for as long as this lives.
class NamedFiles {
 public:
  NamedFiles(scan::FileSets& sets, std::shared_ptr<const scan::FileSet> files)
      : sets_(sets), name_(NextName()) {
    sets_.Put(name_, std::move(files));
  }
  ~NamedFiles() { sets_.Remove(name_); }
  NamedFiles(const NamedFiles&) = delete;
  NamedFiles& operator=(const NamedFiles&) = delete;
  [[nodiscard]] std::string sql() const { return engine::Session::ScanOf(name_); }

 private:
  static std::string NextName() {
    static std::atomic<int64_t> count{0};
    return "ariadne versions " + std::to_string(++count);
  }
  scan::FileSets& sets_;
  std::string name_;
};

std::string NewestSql(const std::string& key, const std::string& timestamp,
                      const std::string& files) {
  return "SELECT f, r FROM (SELECT *, row_number() OVER (PARTITION BY v ORDER BY t DESC NULLS "
         "LAST, "
         "f, r) AS n FROM (SELECT " +
         key + " AS v, " + timestamp + " AS t, file_index AS f, file_row_number AS r FROM " +
         files + ")) WHERE n = 1 OR v IS NULL";
}

}  // namespace

std::map<std::string, std::shared_ptr<scan::KeptRows>> NewestRows(
    duckdb::ClientContext& context, scan::FileSets& sets, const LakeTable& table,
    const IndexedColumn& column, std::vector<scan::ScanFile> files) {
  auto set = std::make_shared<scan::FileSet>();
  set->schema = table.index().schema();
  set->format = table.index().format();
  set->read_options = table.index().read_options();
  set->files = std::move(files);
  const NamedFiles named(sets, set);
  const std::string sql =
      NewestSql(engine::Session::Quote(column.column),
                query::PathSql(column.timestamp_column, *set->schema), named.sql());
  duckdb::Connection connection(*context.db);
  auto result = connection.SendQuery(sql);
  if (result->HasError()) result->ThrowError();
  std::map<std::string, std::shared_ptr<scan::KeptRows>> rows;
  while (auto chunk = result->Fetch()) {
    if (context.IsInterrupted()) throw duckdb::InterruptException();
    if (chunk->size() == 0) break;
    chunk->Flatten();
    const auto* file = duckdb::FlatVector::GetData<uint64_t>(chunk->data[0]);
    const auto* row = duckdb::FlatVector::GetData<int64_t>(chunk->data[1]);
    for (duckdb::idx_t i = 0; i < chunk->size(); ++i) {
      auto& kept = rows[set->files[file[i]].uri];
      if (!kept) kept = std::make_shared<scan::KeptRows>();
      kept->Add(row[i]);
    }
  }
  if (result->HasError()) result->ThrowError();
  return rows;
}

}  // namespace ariadne::sql
