#include "scan/file_sets.h"

#include <arrow/type.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <tuple>

#include "ariadne/errors.h"

namespace ariadne::scan {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

std::shared_ptr<const FileSet> SetOf(const std::vector<std::string>& columns) {
  auto set = std::make_shared<FileSet>();
  arrow::FieldVector fields;
  for (const auto& name : columns) fields.push_back(arrow::field(name, arrow::int64()));
  set->schema = arrow::schema(fields);
  return set;
}

TEST(FileSets, CountWhatScansReadUntilASetIsReplaced) {
  FileSets sets;
  sets.Put("lake", SetOf({"id"}));
  const auto running = sets.Find("lake");
  running->rows_read += 7;
  EXPECT_EQ(sets.Metrics("lake").rows_read, 7);
  sets.Put("lake", SetOf({"id", "x"}));
  EXPECT_EQ(sets.Metrics("lake").rows_read, 0);
  // A scan that runs keeps the set that it was bound to.
  EXPECT_EQ(running->files->schema->num_fields(), 1);
}

TEST(FileSets, DoNotKnowWhatWasRemoved) {
  FileSets sets;
  sets.Put("lake", SetOf({"id"}));
  sets.Remove("lake");
  EXPECT_EQ(sets.Find("lake"), nullptr);
  EXPECT_THAT([&] { std::ignore = sets.Metrics("lake"); },
              ThrowsMessage<InvalidArgument>(HasSubstr("'lake'")));
}

TEST(FileSets, RefuseColumnsThatDifferByCaseOnly) {
  FileSets sets;
  EXPECT_THAT(
      [&] {
        sets.Put("lake", SetOf({"id", "x", "ID"}));
      },
      ThrowsMessage<SchemaMismatch>(AllOf(HasSubstr("'lake'"), HasSubstr("'ID'"))));
}

}  // namespace
}  // namespace ariadne::scan
