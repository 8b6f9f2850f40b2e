// Times what row-group indexes cost the query that builds them and save the ones after it, in a
// running process, beside the engine's own reader.
//
// usage: row_groups_bench LAKE_FOLDER [RUNS]
// One line a measurement: name, milliseconds on the clock and of all processors (the best of RUNS),
// bytes read of the data files where the store counts them.

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
#include <string>
#include <vector>

#include <arrow/table.h>

#include "ariadne/lake.h"
#include "engine/session.h"
#include "rowgroup/index_store.h"
#include "scan/row_group_indexing.h"

namespace {

using ariadne::engine::Session;
namespace scan = ariadne::scan;

struct Bench {
  std::string folder;
  int runs = 3;
  std::shared_ptr<scan::FileSet> files;

  [[nodiscard]] std::unique_ptr<Session> Open(
      std::shared_ptr<ariadne::storage::Stores> stores,
      std::shared_ptr<const scan::RowGroupIndexing> indexing) const {
    ariadne::engine::SessionOptions options;
    options.row_groups = std::move(indexing);
    auto session = std::make_unique<Session>(options, std::move(stores));
    session->RegisterFiles("lake", files);
    return session;
  }
};

/// Milliseconds on the clock, and of all processors: on a busy machine only those tell.
struct Cost {
  double wall = 1e18;
  double processor = 1e18;
};

double ProcessorMilliseconds() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto of = [](const timeval& time) {
    return 1e3 * static_cast<double>(time.tv_sec) + 1e-3 * static_cast<double>(time.tv_usec);
  };
  return of(used.ru_utime) + of(used.ru_stime);
}

void Measure(Cost& least, const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  const double before = ProcessorMilliseconds();
  work();
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
  least.wall = std::min(least.wall, took.count());
  least.processor = std::min(least.processor, ProcessorMilliseconds() - before);
}

void Run(Session& session, const std::string& sql) {
  auto table = session.Query(sql)->ToTable();
  ariadne::engine::ThrowIfFailed(table.status());
}

void Print(const std::string& name, const Cost& cost, int64_t bytes = -1) {
  std::cout << name << "\t" << cost.wall << "\t" << cost.processor << "\t" << bytes << "\n"
            << std::flush;
}

scan::RowGroupIndexing Indexing() {
  return {.store = ariadne::rowgroup::IndexStore::Make(),
          .stores = nullptr,
          .columns = {.bloom = true, .range = false},
          .expressions = false,
          .rate = 0.01,
          .min_table_bytes = 0};
}

void MeasureQuery(const Bench& bench, const std::string& name,
                  const std::function<std::string(const std::string& from, int value)>& sql) {
  const std::string own = "read_parquet('" + bench.folder + "/*.parquet')";
  Cost first_off, first_on, later, theirs;
  int64_t bytes = 0;
  // In turn, so that a busy machine is as bad for one as for the other.
  if (const char* only = std::getenv("ONLY")) {
    auto stores = std::make_shared<ariadne::storage::Stores>();
    for (int i = 0; i < 3; ++i) {
      auto on = bench.Open(
          stores, *only == '1' ? std::make_shared<scan::RowGroupIndexing>(Indexing()) : nullptr);
      Run(*on, sql("lake", 1));
    }
    return;
  }
  for (int run = 0; run < bench.runs; ++run) {
    auto stores = std::make_shared<ariadne::storage::Stores>();
    auto off = bench.Open(stores, nullptr);
    auto on = bench.Open(stores, std::make_shared<scan::RowGroupIndexing>(Indexing()));
    Measure(first_off, [&] { Run(*off, sql("lake", 1)); });
    Measure(first_on, [&] { Run(*on, sql("lake", 1)); });
    Measure(theirs, [&] { Run(*off, sql(own, 2)); });
    for (int value = 2; value < 5; ++value) {
      const int64_t before = stores->counters().bytes_read;
      Measure(later, [&] { Run(*on, sql("lake", value)); });
      bytes = stores->counters().bytes_read - before;
    }
  }
  Print(name + ", off", first_off);
  Print(name + ", first with observers", first_on);
  Print(name + ", later", later, bytes);
  Print(name + ", engine's own reader", theirs);
}

int Main(int argc, char** argv) {
  if (argc < 2) {
    std::cerr << "usage: row_groups_bench LAKE_FOLDER [RUNS]\n";
    return 2;
  }
  Bench bench;
  bench.folder = std::filesystem::absolute(argv[1]).string();
  if (argc > 2) bench.runs = std::atoi(argv[2]);
  bench.files = std::make_shared<scan::FileSet>();
  bench.files->schema = ariadne::Lake(bench.folder).InferSchema(bench.folder);
  for (const auto& entry : std::filesystem::directory_iterator(bench.folder)) {
    if (entry.path().extension() != ".parquet") continue;
    bench.files->files.push_back({.uri = "",
                                  .url = "file://" + entry.path().string(),
                                  .size = static_cast<int64_t>(entry.file_size())});
  }
  MeasureQuery(bench, "count(*) WHERE user_id = ?", [](const std::string& from, int value) {
    return "SELECT count(*) FROM " + from + " WHERE user_id = 'user-00" +
           std::to_string(10000 + 137 * value) + "'";
  });
  MeasureQuery(bench, "SELECT * WHERE id = ?", [](const std::string& from, int value) {
    return "SELECT * FROM " + from + " WHERE id = " + std::to_string(1000003 * value);
  });
  if (argc > 3)
    MeasureQuery(bench, "SELECT * of everything", [](const std::string& from, int value) {
      return "SELECT max(id), max(user_id), max(ts), max(category), max(amount), max(len(tags)) "
             "FROM " +
             from;
    });
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
