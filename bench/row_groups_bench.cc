// Times what row-group indexes cost the query that builds them and save the ones after it, in a
// running process, beside the engine's own reader.
//
// usage: row_groups_bench LAKE_FOLDER RUNS SELECT [COLUMN FIRST LATER...]
//   SELECT ... FROM lake WHERE COLUMN = FIRST builds, and the queries for LATER use what it built.
//   Without COLUMN everything is read.
// A line a measurement: name, milliseconds on the clock and of all processors (the best of RUNS),
// bytes that a query read of the data files, on average, where they were counted, else -1.

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <functional>
#include <iostream>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <arrow/array/array_binary.h>
#include <arrow/chunked_array.h>
#include <arrow/table.h>

#include "ariadne/lake.h"
#include "engine/session.h"
#include "rowgroup/index_store.h"
#include "rowgroup/row_group_options.h"
#include "scan/row_group_indexing.h"

namespace {

using ariadne::engine::Session;
using ariadne::storage::Stores;
namespace scan = ariadne::scan;

constexpr char kOurs[] = "lake";

struct Bench {
  std::shared_ptr<scan::FileSet> files;
  int runs = 3;
  std::string select;
  std::string column;
  std::vector<std::string> values;

  [[nodiscard]] std::unique_ptr<Session> Open(const std::shared_ptr<Stores>& stores,
                                              bool observers) const {
    ariadne::engine::SessionOptions options;
    if (observers) {
      options.row_groups = std::make_shared<scan::RowGroupIndexing>(
          scan::RowGroupIndexing{.store = ariadne::rowgroup::IndexStore::Make(),
                                 .stores = nullptr,
                                 .columns = {.bloom = true, .range = false},
                                 .expressions = false,
                                 .rate = ariadne::rowgroup::RowGroupOptions().fpr,
                                 .min_table_bytes = 0});
    }
    auto session = std::make_unique<Session>(options, stores);
    session->RegisterFiles(kOurs, files);
    return session;
  }

  /// The engine's own reader. `counted`: through our storage, which counts bytes.
  [[nodiscard]] std::string Theirs(bool counted) const {
    std::string paths;
    for (const auto& file : files->files) {
      const std::string path = counted ? file.url : file.url.substr(std::string("file://").size());
      paths += (paths.empty() ? "" : ", ") + Session::Literal(path);
    }
    return "read_parquet([" + paths + "])";
  }

  /// The files that hold a value, as the engine finds them.
  [[nodiscard]] std::shared_ptr<scan::FileSet> Holders(Session& session, size_t value) const {
    auto found = session
                     .Query("SELECT DISTINCT filename FROM " + Theirs(false) + " WHERE " + column +
                            " = " + values.at(value))
                     ->ToTable();
    ariadne::engine::ThrowIfFailed(found.status());
    std::set<std::string> urls;
    for (const auto& chunk : (*found)->column(0)->chunks()) {
      const auto& names = static_cast<const arrow::StringArray&>(*chunk);
      for (int64_t row = 0; row < names.length(); ++row)
        urls.insert("file://" + names.GetString(row));
    }
    auto holders = std::make_shared<scan::FileSet>();
    holders->schema = files->schema;
    for (const auto& file : files->files) {
      if (urls.contains(file.url)) holders->files.push_back(file);
    }
    return holders;
  }

  /// Of two values.
  [[nodiscard]] std::string ListSql(const std::string& from) const {
    return "SELECT " + select + " FROM " + from + " WHERE " + column + " IN (" + values.at(1) +
           ", " + values.at(2) + ")";
  }

  [[nodiscard]] std::string Sql(const std::string& from, size_t value) const {
    std::string sql = "SELECT " + select + " FROM " + from;
    if (!column.empty()) sql += " WHERE " + column + " = " + values.at(value);
    return sql;
  }
};

double ProcessorMilliseconds() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto of = [](const timeval& time) {
    return 1e3 * static_cast<double>(time.tv_sec) + 1e-3 * static_cast<double>(time.tv_usec);
  };
  return of(used.ru_utime) + of(used.ru_stime);
}

/// Milliseconds on the clock, and of all processors: on a busy machine only those tell.
struct Cost {
  double wall = 1e18;
  double processor = 1e18;
  int64_t bytes = 0;    // Of all that were counted.
  int64_t counted = 0;  // Queries.

  /// Keeps the least.
  void Measure(Session& session, const std::string& sql) {
    const auto begin = std::chrono::steady_clock::now();
    const double before = ProcessorMilliseconds();
    auto table = session.Query(sql)->ToTable();
    ariadne::engine::ThrowIfFailed(table.status());
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
    wall = std::min(wall, took.count());
    processor = std::min(processor, ProcessorMilliseconds() - before);
  }
  void Count(Session& session, const Stores& stores, const std::string& sql) {
    const int64_t before = stores.counters().bytes_read;
    Measure(session, sql);
    bytes += stores.counters().bytes_read - before;
    ++counted;
  }
  void Print(const char* name) const {
    std::cout << name << "\t" << wall << "\t" << processor << "\t"
              << (counted > 0 ? bytes / counted : -1) << "\n"
              << std::flush;
  }
};

void MeasureBuilding(const Bench& bench) {
  Cost off, on, later, theirs, least;
  auto stores = std::make_shared<Stores>();
  Cost uncounted;
  uncounted.Count(*bench.Open(stores, false), *stores, bench.Sql(bench.Theirs(true), 1));
  for (size_t value = 1; value < bench.values.size(); ++value) {
    // What an index that is never wrong would leave: rows of these files.
    auto session = bench.Open(stores, false);
    session->RegisterFiles(kOurs, bench.Holders(*session, value));
    least.Count(*session, *stores, bench.Sql(kOurs, value));
  }
  // Their difference is small: more runs for it, in turn, so that a busy machine is as bad for one
  // as for the other.
  constexpr int kFirstRuns = 5;
  for (int run = 0; run < kFirstRuns * bench.runs; ++run) {
    off.Measure(*bench.Open(stores, false), bench.Sql(kOurs, 0));
    on.Measure(*bench.Open(stores, true), bench.Sql(kOurs, 0));
  }
  for (int run = 0; run < bench.runs; ++run) {
    auto plain = bench.Open(stores, false);
    auto building = bench.Open(stores, true);
    on.Measure(*building, bench.Sql(kOurs, 0));
    const auto setting = plain->Query("SET GLOBAL parquet_metadata_cache = true")->ToTable();
    ariadne::engine::ThrowIfFailed(setting.status());
    for (size_t value = 1; value < bench.values.size(); ++value) {
      theirs.Measure(*plain, bench.Sql(bench.Theirs(false), value));
      later.Count(*building, *stores, bench.Sql(kOurs, value));
    }
  }
  Cost list, list_of_theirs;
  for (int run = 0; run < bench.runs; ++run) {
    const auto session = bench.Open(stores, false);
    list.Count(*session, *stores, bench.ListSql(kOurs));
    list_of_theirs.Count(*session, *stores, bench.ListSql(bench.Theirs(true)));
  }
  theirs.bytes = uncounted.bytes;
  theirs.counted = uncounted.counted;
  off.Print("first, off");
  on.Print("first, on");
  later.Print("later");
  least.Print("holders alone");
  theirs.Print("engine's own");
  list.Print("two values, no index");
  list_of_theirs.Print("two values, engine's own");
}

void MeasureReading(const Bench& bench) {
  Cost ours, theirs;
  for (int run = 0; run < bench.runs; ++run) {
    auto session = bench.Open(std::make_shared<Stores>(), false);
    ours.Measure(*session, bench.Sql(kOurs, 0));
    theirs.Measure(*session, bench.Sql(bench.Theirs(false), 0));
  }
  ours.Print("everything");
  theirs.Print("engine's own");
}

/// For a profiler: one kind of first query, again and again.
void RepeatFirst(const Bench& bench, bool observers) {
  for (int run = 0; run < bench.runs; ++run) {
    Cost cost;
    cost.Measure(*bench.Open(std::make_shared<Stores>(), observers), bench.Sql(kOurs, 0));
    cost.Print("first");
  }
}

/// For a profiler: the queries that use what the first has built.
void RepeatLater(const Bench& bench) {
  const auto stores = std::make_shared<Stores>();
  const auto session = bench.Open(stores, true);
  Cost first, later;
  first.Measure(*session, bench.Sql(kOurs, 0));
  for (int run = 0; run < bench.runs; ++run) {
    for (size_t value = 1; value < bench.values.size(); ++value) {
      later.Count(*session, *stores, bench.Sql(kOurs, value));
    }
  }
  later.Print("later");
}

int Main(int argc, char** argv) {
  if (argc < 4 || argc == 5 || argc == 6) {
    std::cerr << "usage: row_groups_bench LAKE_FOLDER RUNS SELECT [COLUMN FIRST LATER...]\n";
    return 2;
  }
  const std::string folder = std::filesystem::absolute(argv[1]).string();
  Bench bench;
  bench.runs = std::atoi(argv[2]);
  bench.select = argv[3];
  if (argc > 4) bench.column = argv[4];
  if (argc > 5) bench.values.assign(argv + 5, argv + argc);
  bench.files = std::make_shared<scan::FileSet>();
  bench.files->schema = ariadne::Lake(folder).InferSchema(folder);
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".parquet") continue;
    bench.files->files.push_back({.uri = "",
                                  .url = "file://" + entry.path().string(),
                                  .size = static_cast<int64_t>(entry.file_size())});
  }
  if (const char* first = std::getenv("REPEAT_FIRST")) {
    RepeatFirst(bench, std::string(first) == "on");
  } else if (std::getenv("REPEAT_LATER")) {
    RepeatLater(bench);
  } else if (bench.column.empty()) {
    MeasureReading(bench);
  } else {
    MeasureBuilding(bench);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return Main(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
