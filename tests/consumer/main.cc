#include <arrow/record_batch.h>
#include <arrow/table.h>
#include <iostream>

#include <ariadne/errors.h>
#include <ariadne/lake.h>

int main() try {
  ariadne::Lake lake("indexes");
  ariadne::Index index = lake.Create("events", {.schema = lake.InferSchema("data")});
  index.AddRegular("user");
  index.AddFiles({"data"});
  index.Update();

  auto keys = lake.ReadTable("users.csv");
  ariadne::Joined joined = index.Join(keys, {.on = {"user"}});
  auto rows = joined.rows->ToTable().ValueOrDie();
  std::cout << rows->num_rows() << " rows from " << joined.located.files.size() << " of "
            << joined.located.total_files << " files\n";
  return 0;
} catch (const ariadne::Error& error) {
  std::cerr << error.kind() << ": " << error.what() << "\n";
  return static_cast<int>(error.exit_code());
}
