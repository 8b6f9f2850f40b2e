// Times `Index::Locate` and `Index::Join` in a running process, where the command line pays for its
// start each time. A benchmark is called as its probe, with "join " before it for a join of all
// columns.
//
// usage: locate_bench ROOT INDEX PROBES_FOLDER [Google Benchmark's flags]
// PROBES_FOLDER holds {column}-{count}.parquet, each with one column of that name.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include <arrow/table.h>
#include <benchmark/benchmark.h>

#include "ariadne/errors.h"
#include "ariadne/index.h"
#include "ariadne/lake.h"

namespace {

void LocateOnce(benchmark::State& state, const ariadne::Index& index,
                const std::shared_ptr<arrow::Table>& keys, const std::string& column) {
  int64_t files = 0;
  int64_t bytes = 0;
  for (auto _ : state) {
    const ariadne::Located located = index.Locate(*keys, {column});
    files = static_cast<int64_t>(located.files.size());
    bytes = located.index_bytes_read;
  }
  state.counters["files"] = static_cast<double>(files);
  state.counters["index_bytes_read"] = static_cast<double>(bytes);
}

void JoinOnce(benchmark::State& state, const ariadne::Index& index,
              const std::shared_ptr<arrow::Table>& keys, const std::string& column) {
  int64_t rows = 0;
  int64_t files = 0;
  for (auto _ : state) {
    ariadne::JoinOptions options;
    options.on = {column};
    const ariadne::Joined joined = index.Join(keys, options);
    const auto table = joined.rows->ToTable();
    if (!table.ok()) return state.SkipWithError(table.status().ToString().c_str());
    rows = (*table)->num_rows();
    files = static_cast<int64_t>(joined.located.files.size());
  }
  state.counters["files"] = static_cast<double>(files);
  state.counters["rows"] = static_cast<double>(rows);
}

int Run(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (argc != 4) {
    std::cerr << "usage: locate_bench ROOT INDEX PROBES_FOLDER [--benchmark_...]\n";
    return static_cast<int>(ariadne::ExitCode::kUsage);
  }
  const ariadne::Lake lake(argv[1]);
  const ariadne::Index index = lake.Open(argv[2]);
  std::vector<std::filesystem::path> probes;
  for (const auto& entry : std::filesystem::directory_iterator(argv[3])) {
    if (entry.path().extension() == ".parquet") probes.push_back(entry.path());
  }
  std::sort(probes.begin(), probes.end());
  for (const auto& path : probes) {
    const std::string name = path.stem().string();
    const std::string column = name.substr(0, name.rfind('-'));
    const auto keys = lake.ReadTable(path.string());
    benchmark::RegisterBenchmark(
        name.c_str(),
        [&index, keys, column](benchmark::State& state) { LocateOnce(state, index, keys, column); })
        ->Unit(benchmark::kMillisecond)
        ->UseRealTime();
    benchmark::RegisterBenchmark(
        ("join " + name).c_str(),
        [&index, keys, column](benchmark::State& state) { JoinOnce(state, index, keys, column); })
        ->Unit(benchmark::kMillisecond)
        ->UseRealTime();
  }
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return Run(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "locate_bench: " << error.what() << "\n";
    return EXIT_FAILURE;
  }
}
