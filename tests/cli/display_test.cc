#include <algorithm>
#include <chrono>
#include <cmath>
#include <semaphore>
#include <sstream>
#include <string>

#include <arrow/array.h>
#include <arrow/array/builder_binary.h>
#include <arrow/array/builder_decimal.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/util/decimal.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/cells.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/row_table.h"
#include "cli/text_table.h"

namespace ariadne::cli {
namespace {

template <typename Builder, typename... Values>
std::shared_ptr<arrow::Array> ArrayOf(Builder builder, Values... values) {
  const bool appended = (builder.Append(values).ok() && ...) && builder.AppendNull().ok();
  EXPECT_TRUE(appended);
  return builder.Finish().ValueOrDie();
}

std::string JsonOf(const arrow::Array& array) {
  std::string text;
  for (int64_t i = 0; i < array.length(); ++i) {
    AppendCellJson(array, i, text);
    text += ' ';
  }
  return text;
}

std::string TextOf(const arrow::Array& array) {
  std::string text;
  for (int64_t i = 0; i < array.length(); ++i) text += CellText(array, i) + " ";
  return text;
}

TEST(CellsTest, NumbersAreExact) {
  const auto longs = ArrayOf(arrow::Int64Builder(), int64_t{9007199254740993}, INT64_MIN);
  EXPECT_EQ(JsonOf(*longs), "9007199254740993 -9223372036854775808 null ");
  const auto doubles = ArrayOf(arrow::DoubleBuilder(), 1.0, -0.0, 0.1, 1e300, NAN, -INFINITY);
  EXPECT_EQ(JsonOf(*doubles), "1.0 -0.0 0.1 1e+300 \"NaN\" \"-Infinity\" null ");
  EXPECT_EQ(TextOf(*doubles), "1.0 -0.0 0.1 1e+300 NaN -Infinity NULL ");
  const auto bytes = ArrayOf(arrow::Int8Builder(), int8_t{65}, int8_t{-128});
  EXPECT_EQ(JsonOf(*bytes), "65 -128 null ");
  const auto decimals = ArrayOf(arrow::Decimal128Builder(arrow::decimal128(10, 2)),
                                arrow::Decimal128(110), arrow::Decimal128(-5));
  EXPECT_EQ(JsonOf(*decimals), "\"1.10\" \"-0.05\" null ");
}

TEST(CellsTest, MomentsAreIso) {
  const auto zoned =
      ArrayOf(arrow::TimestampBuilder(arrow::timestamp(arrow::TimeUnit::MICRO, "UTC"),
                                      arrow::default_memory_pool()),
              int64_t{0}, int64_t{-1}, int64_t{1357034400120000});
  EXPECT_EQ(JsonOf(*zoned),
            "\"1970-01-01T00:00:00Z\" \"1969-12-31T23:59:59.999999Z\" "
            "\"2013-01-01T10:00:00.12Z\" null ");
  const auto local = ArrayOf(arrow::TimestampBuilder(arrow::timestamp(arrow::TimeUnit::MICRO),
                                                     arrow::default_memory_pool()),
                             int64_t{0});
  EXPECT_EQ(TextOf(*local), "1970-01-01 00:00:00 NULL ");
  const auto dates = ArrayOf(arrow::Date32Builder(), int32_t{-1}, int32_t{2932896});
  EXPECT_EQ(JsonOf(*dates), "\"1969-12-31\" \"9999-12-31\" null ");
}

TEST(CellsTest, YearsBeyondTheUsualOnesAreWrittenAsTheyAre) {
  const auto dates = ArrayOf(arrow::Date32Builder(), int32_t{13889824}, INT32_MAX - 1,
                             int32_t{-734893}, INT32_MAX, -INT32_MAX);
  EXPECT_EQ(TextOf(*dates), "39999-01-18 5881580-07-10 -0043-12-07 infinity -infinity NULL ");
  const auto times =
      ArrayOf(arrow::TimestampBuilder(arrow::timestamp(arrow::TimeUnit::MICRO, "UTC"),
                                      arrow::default_memory_pool()),
              INT64_MAX - 1, INT64_MAX, -INT64_MAX);
  EXPECT_EQ(JsonOf(*times), "\"294247-01-10T04:00:54.775806Z\" \"infinity\" \"-infinity\" null ");
}

TEST(CellsTest, DecimalsHaveAllTheirDigitsAndNoExponent) {
  const auto small = ArrayOf(arrow::Decimal128Builder(arrow::decimal128(20, 10)),
                             arrow::Decimal128(62), arrow::Decimal128(-1), arrow::Decimal128(0));
  EXPECT_EQ(TextOf(*small), "0.0000000062 -0.0000000001 0.0000000000 NULL ");
  const auto whole =
      ArrayOf(arrow::Decimal256Builder(arrow::decimal256(40, 0)), arrow::Decimal256(-12));
  EXPECT_EQ(TextOf(*whole), "-12 NULL ");
}

TEST(CellsTest, TextAndBinaryCannotBreakJson) {
  const auto text = ArrayOf(arrow::StringBuilder(), "a\"b\n", "\xff", "日本");
  EXPECT_EQ(JsonOf(*text), "\"a\\\"b\\n\" \"\xEF\xBF\xBD\" \"日本\" null ");
  const auto binary = ArrayOf(arrow::BinaryBuilder(), std::string("\0\xff", 2));
  EXPECT_EQ(JsonOf(*binary), "\"AP8=\" null ");
  EXPECT_EQ(TextOf(*binary), "\\x00FF NULL ");
}

TEST(TextTableTest, AlignsWideAndCombiningCharacters) {
  TextTable table({{"name"}, {"n", true}});
  table.AddRow({"日本", "1"});
  table.AddRow({"e\xCC\x81", "22"});
  table.AddRow({"a\nb\x1b[31m", "333"});
  std::ostringstream out;
  table.Print(out);
  EXPECT_EQ(out.str(),
            "name            n\n"
            "------------  ---\n"
            "日本            1\n"
            "e\xCC\x81              22\n"
            "a\\nb\\x1B[31m  333\n");
}

TEST(TextTableTest, CutsToTheWidthAndSaysWhatIsMissing) {
  TextTable table({{"first"}, {"second"}, {"third"}});
  table.AddRow({std::string(50, 'a'), std::string(50, 'b'), std::string(50, 'c')});
  std::ostringstream out;
  table.Print(out, 20);
  std::istringstream lines(out.str());
  for (std::string line; std::getline(lines, line);) EXPECT_LE(DisplayWidth(line), 20U) << line;
  EXPECT_NE(out.str().find("(1 more column)"), std::string::npos) << out.str();
  EXPECT_NE(out.str().find("aaaa…"), std::string::npos) << out.str();
}

TEST(TextTableTest, BytesThatAreNoUnicodeAreShownAsSuch) {
  EXPECT_EQ(Printable("a\xff\xc3"), "a\\xFF\\xC3");
  EXPECT_EQ(Printable("\xEF\xBF\xBD"), "\xEF\xBF\xBD");
  EXPECT_EQ(DisplayWidth("\xff\xff"), 2U);
  EXPECT_EQ(Shorten("日本語", 5), "日本…");
  EXPECT_EQ(Shorten("", 0), "");
}

TEST(RowTableTest, ShowsTheFirstRowsAndCountsTheRest) {
  const auto schema = arrow::schema({arrow::field("id", arrow::int64())});
  const auto ids = ArrayOf(arrow::Int64Builder(), int64_t{1}, int64_t{2});
  const auto batch = arrow::RecordBatch::Make(schema, 3, {ids});
  const auto reader = arrow::RecordBatchReader::Make({batch, batch}, schema).ValueOrDie();
  std::ostringstream out;
  std::ostringstream err;
  Streams streams{.out = out, .err = err};
  EXPECT_EQ(PrintRows(*reader, 2, streams), 6);
  EXPECT_EQ(out.str(), "id\n--\n 1\n 2\n(6 rows, 4 more not shown)\n");
}

TEST(OutputTest, SizesAndTimesReadWell) {
  EXPECT_EQ(FormatBytes(999), "999 B");
  EXPECT_EQ(FormatBytes(9'200'000), "9.2 MB");
  EXPECT_EQ(FormatBytes(100'000), "0.1 MB");
  EXPECT_EQ(FormatBytes(1'500), "1.5 kB");
  EXPECT_EQ(FormatDuration(4.25), "4.2 ms");
  EXPECT_EQ(FormatDuration(412), "412 ms");
  EXPECT_EQ(FormatDuration(125'000), "2 min 5 s");
}

TEST(OutputTest, ThePruningLineSaysWhatWasLoaded) {
  Located located;
  located.files = {"a", "b", "c", "d"};
  located.total_files = 365;
  located.bytes = 100'000;
  located.total_bytes = 9'200'000;
  EXPECT_EQ(PruningLine("loaded", located),
            "loaded 4 of 365 files (0.1 MB of 9.2 MB), 98.9% pruned");
  located.unindexed_files = {"d"};
  EXPECT_EQ(PruningLine("loaded", located),
            "loaded 4 of 365 files (0.1 MB of 9.2 MB), 98.9% pruned; 1 not indexed yet");
  EXPECT_EQ(PruningLine("located", Located{}), "located 0 of 0 files (0 B of 0 B)");
  Located few;
  few.files = {"a"};
  few.total_files = 100'000;
  EXPECT_EQ(PruningLine("loaded", few), "loaded 1 of 100000 files (0 B of 0 B), 99.9% pruned");
}

TEST(OutputTest, NamesThatAreNoUnicodeAreStillJson) {
  Located located;
  located.files = {"file:///a\xff.parquet"};
  std::ostringstream out;
  PrintJson(out, LocatedJson(located));
  const auto answer = nlohmann::json::parse(out.str());
  EXPECT_EQ(answer["files"].size(), 1U);
}

TEST(ProgressTest, ALogGetsNoBar) {
  std::ostringstream out;
  std::ostringstream err;
  Streams streams{.out = out, .err = err};
  {
    ProgressDisplay display(streams);
    for (int i = 0; i < 1000; ++i)
      display.Show({.files_done = i, .files_total = 1000, .phase = "build"});
  }
  EXPECT_EQ(out.str(), "");
  EXPECT_EQ(err.str(), "");
  Streams terminal{.out = out, .err = err, .err_is_terminal = true};
  {
    ProgressDisplay display(terminal);
    display.Show({.files_done = 5, .files_total = 10, .phase = "build"});
  }
  EXPECT_EQ(out.str(), "");
  EXPECT_EQ(err.str(), "\r[###############...............] build 5 of 10 files\x1b[K\r\x1b[K");
}

TEST(ProgressTextTest, TellsTheTimeLeftOnceTheRateSaysSomething) {
  UpdateProgress progress{.files_done = 1,
                          .files_total = 2,
                          .bytes_done = 500,
                          .bytes_total = 400'000'000,
                          .phase = "build"};
  EXPECT_EQ(ProgressText(progress, 60'000), "build 1 of 2 files, 500 B of 400.0 MB");
  progress.bytes_done = 100'000'000;
  EXPECT_EQ(ProgressText(progress, 1'000), "build 1 of 2 files, 100.0 MB of 400.0 MB");
  EXPECT_EQ(ProgressText(progress, 20'000),
            "build 1 of 2 files, 100.0 MB of 400.0 MB, 1 min 0 s left");
}

/// What a display that asks `count` times for its text writes.
std::string Shown(bool terminal, int count) {
  std::ostringstream out;
  std::ostringstream err;
  Streams streams{.out = out, .err = err, .err_is_terminal = terminal};
  std::counting_semaphore<> asked(0);
  int next = 0;
  const auto text = [&] {
    if (next < count) asked.release();
    return "query " + std::to_string(std::min(++next, count)) + "%";
  };
  ReadingDisplay display(
      streams, text, {.first = std::chrono::milliseconds(0), .next = std::chrono::milliseconds(1)});
  const auto schema = arrow::schema({arrow::field("a", arrow::int32())});
  const auto rows = display.Until(arrow::RecordBatchReader::Make({}, schema).ValueOrDie());
  for (int i = 0; i < count; ++i) asked.acquire();
  std::shared_ptr<arrow::RecordBatch> batch;
  EXPECT_TRUE(rows->ReadNext(&batch).ok());
  EXPECT_EQ(batch, nullptr);
  EXPECT_EQ(out.str(), "");
  return err.str();
}

TEST(ReadingDisplayTest, IsWrittenOverOnATerminalAndWipedWithTheLastRow) {
  const std::string shown = Shown(/*terminal=*/true, 2);
  EXPECT_EQ(shown.find("\rquery 1%\x1b[K\rquery 2%\x1b[K"), 0U) << shown;
  EXPECT_EQ(shown.rfind("\r\x1b[K"), shown.size() - 4) << shown;
}

TEST(ReadingDisplayTest, IsLinesElsewhere) {
  const std::string shown = Shown(/*terminal=*/false, 2);
  EXPECT_EQ(shown.find("query 1%\nquery 2%\n"), 0U) << shown;
  EXPECT_EQ(shown.find('\x1b'), std::string::npos) << shown;
}

TEST(ReadingDisplayTest, OfAShortQueryShowsNothing) {
  std::ostringstream out;
  std::ostringstream err;
  Streams streams{.out = out, .err = err, .err_is_terminal = true};
  {
    ReadingDisplay display(streams, [] { return std::string("query 1%"); });
  }
  EXPECT_EQ(err.str(), "");
}

}  // namespace
}  // namespace ariadne::cli
