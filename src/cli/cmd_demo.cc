#include <chrono>
#include <filesystem>
#include <iostream>

#include <arrow/array/builder_binary.h>
#include <arrow/record_batch.h>
#include <arrow/table.h>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/row_table.h"
#include "cli/values.h"
#include "engine/session.h"
#include "scan/file_scan.h"
#include "source/file_uri.h"
#include "storage/object_store.h"

namespace ariadne::cli {
namespace {

constexpr char kIndex[] = "flights";
// Planes that New York saw on four days and on two days of 2013.
constexpr char kRarePlane[] = "D942DN";
constexpr std::pair<const char*, const char*> kPlanes[] = {{"N121DE", "to be inspected"},
                                                           {"N152DL", "to be sold"}};

std::shared_ptr<arrow::Table> Planes() {
  arrow::StringBuilder tailnum;
  arrow::StringBuilder note;
  std::shared_ptr<arrow::Array> columns[2];
  arrow::Status status;
  for (const auto& [plane, text] : kPlanes) {
    status &= tailnum.Append(plane);
    status &= note.Append(text);
  }
  status &= tailnum.Finish(&columns[0]);
  status &= note.Finish(&columns[1]);
  if (!status.ok()) throw Error(status.ToString());
  return arrow::Table::Make(
      arrow::schema({arrow::field("tailnum", arrow::utf8()), arrow::field("note", arrow::utf8())}),
      {columns[0], columns[1]});
}

// A heading and the command that a user would type for the same.
void Step(std::ostream& out, const std::string& what, const std::string& command) {
  out << "\n== " << what << "\n   $ " << command << "\n" << std::flush;
}

double MillisecondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
      .count();
}

struct Answer {
  int64_t rows = 0;
  double elapsed_ms = 0;
};

// The same join over every file of the lake, with the same reader and nothing pruned.
Answer FullScan(const Index& index, const std::shared_ptr<arrow::Table>& planes,
                const Context& context) {
  const auto started = std::chrono::steady_clock::now();
  const Options& options = context.global.options;
  auto files = std::make_shared<scan::FileSet>();
  files->schema = index.schema();
  for (const TrackedFile& file : index.Files()) {
    files->files.push_back({.uri = file.uri, .url = source::MapPath(file.uri, options.path_map)});
  }
  engine::Session session({.memory_bytes = options.memory_bytes, .threads = options.threads},
                          std::make_shared<storage::Stores>(options.storage));
  session.RegisterFiles("lake", files);
  session.RegisterTable("planes", planes);
  const auto rows = session.Query("SELECT * FROM lake JOIN planes USING (tailnum)", context.stop);
  Answer answer;
  ForEachBatch(*rows, [&](const arrow::RecordBatch& batch) { answer.rows += batch.num_rows(); });
  answer.elapsed_ms = MillisecondsSince(started);
  return answer;
}

Answer IndexedJoin(const Index& index, const std::shared_ptr<arrow::Table>& planes,
                   const Context& context) {
  const auto started = std::chrono::steady_clock::now();
  const Joined joined = index.Join(planes, {.on = {"tailnum"}, .stop = context.stop});
  Answer answer;
  ForEachBatch(*joined.rows,
               [&](const arrow::RecordBatch& batch) { answer.rows += batch.num_rows(); });
  answer.elapsed_ms = MillisecondsSince(started);
  return answer;
}

// A key of the lake that exists: the first file's first.
std::string SomeKey(const Lake& lake, const Index& index) {
  const auto table = lake.ReadTable(index.Files().front().uri);
  const auto column = table->GetColumnByName("flight_id");
  if (column == nullptr || table->num_rows() == 0) {
    throw ColumnNotFound("the folder does not hold the demo's flights: run make demo");
  }
  return static_cast<const arrow::StringArray&>(*column->chunk(0)).GetString(0);
}

Index Prepare(Lake& lake, const std::string& folder, const Context& context) {
  auto& out = context.streams.out;
  Step(out, "an index over the flights",
       "ariadne create flights --schema-from " + folder +
           " --regular tailnum --bloom flight_id --range time_hour");
  const bool existed = lake.Exists(kIndex);
  Index index = lake.Create(kIndex, {.schema = lake.InferSchema(folder)});
  index.AddRegular("tailnum");
  index.AddBloom("flight_id");
  index.AddRange("time_hour");
  if (existed) out << "there already, going on from it\n";

  Step(out, "its files", "ariadne add flights " + folder);
  const AddReport added = index.AddFiles({folder});
  out << "added " << added.added << " files, " << added.already_tracked << " tracked already\n";

  Step(out, "index what is new", "ariadne update flights");
  UpdateReport report;
  {
    ProgressDisplay display(context.streams);
    report = index.Update(
        {.progress = [&](const UpdateProgress& p) { display.Show(p); }, .stop = context.stop});
  }
  out << "indexed " << report.files_indexed << " files (" << FormatBytes(report.bytes_indexed)
      << ") in " << FormatDuration(report.elapsed_ms) << "\n";
  WarnOfFailed(context.streams.err, report.files_failed);
  return index;
}

void ShowLocate(const Index& index, const std::string& where, std::ostream& out) {
  const Located located = index.Locate({ParseWhere(where)});
  for (size_t i = 0; i < located.files.size() && i < 5; ++i) out << located.files[i] << "\n";
  if (located.files.size() > 5) out << "... and " << located.files.size() - 5 << " more\n";
  out << PruningLine("located", located) << ", " << FormatDuration(located.elapsed_ms) << "\n";
}

}  // namespace

ExitCode Run(const DemoArguments& arguments, const Context& context) {
  auto& out = context.streams.out;
  if (context.global.json)
    throw InvalidArgument("the demo speaks to people: run it without --json");
  GlobalArguments global = context.global;
  if (global.root.empty()) {
    global.root =
        (std::filesystem::absolute(arguments.folder).lexically_normal() / "..").lexically_normal() /
        "index";
  }
  const Context here{.global = global, .streams = context.streams, .stop = context.stop};
  Lake lake = here.OpenLake();
  out << "The flights that left New York in 2013, a file a day. Indexes go to\n"
      << "ARIADNE_ROOT=" << global.root << "\n";
  const Index index = Prepare(lake, arguments.folder, here);

  const std::string plane = std::string("tailnum=") + kRarePlane;
  Step(out, "which days saw this plane? (distinct values of each file)",
       "ariadne locate flights --where " + plane);
  ShowLocate(index, plane, out);
  const std::string key = "flight_id=" + SomeKey(lake, index);
  Step(out, "where is this flight? (a bloom filter a file)",
       "ariadne locate flights --where " + key);
  ShowLocate(index, key, out);
  const std::string hour = "time_hour=2013-07-04T12:00:00Z";
  Step(out, "and this hour? (smallest and largest value of each file)",
       "ariadne locate flights --where " + hour);
  ShowLocate(index, hour, out);

  const auto planes = Planes();
  Step(out, "join a small table of planes with the lake",
       "ariadne join flights planes.csv --on tailnum --select time_hour,carrier,origin,dest");
  const Joined joined = index.Join(
      planes,
      {.on = {"tailnum"}, .select = {"time_hour", "carrier", "origin", "dest"}, .stop = here.stop});
  PrintRows(*joined.rows, 10, here.streams);
  out << PruningLine("loaded", joined.located) << "\n";

  out << "\n== the same join, all columns, with the index and as a full scan\n" << std::flush;
  const Answer indexed = IndexedJoin(index, planes, here);
  const Answer scanned = FullScan(index, planes, here);
  out << "with the index: " << indexed.rows << " rows in " << FormatDuration(indexed.elapsed_ms)
      << "\nfull scan:      " << scanned.rows << " rows in " << FormatDuration(scanned.elapsed_ms)
      << "\n";
  if (indexed.rows != scanned.rows) {
    throw Error("the two answers differ: this is a fault of ariadne, please report it");
  }
  return ExitCode::kDone;
}

}  // namespace ariadne::cli
