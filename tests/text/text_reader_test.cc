// What CSV and JSON files give beside their rows: names, folders, modes, damaged files, large ones.

#include "text/text_reader.h"

#include <random>
#include <string>
#include <vector>

#include <arrow/array.h>
#include <arrow/buffer.h>
#include <arrow/io/memory.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/util/compression.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "ariadne/errors.h"
#include "text/text_source.h"
#include "value_json.h"

namespace ariadne::text {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using Options = std::vector<std::pair<std::string, std::string>>;

std::shared_ptr<arrow::io::RandomAccessFile> File(const std::string& bytes) {
  return std::make_shared<arrow::io::BufferReader>(arrow::Buffer::FromString(bytes));
}

json Rows(const std::string& format, const std::string& bytes, const std::string& ddl,
          const Options& options = {}, const TextName& name = {"", "x"},
          std::vector<std::string> columns = {}) {
  const auto schema = SchemaOfDdl(ddl);
  if (columns.empty()) columns = schema->field_names();
  TextReader reader(File(bytes), name, schema, ReadTextOptions({format, options}), columns, 1000);
  json rows = json::array();
  while (const auto batch = reader.Next()) {
    for (int64_t i = 0; i < batch->num_rows(); ++i) {
      json row = json::array();
      for (const auto& column : batch->columns()) row.push_back(ValueJson(*column, i));
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

template <typename ErrorType, typename Work>
std::string Message(Work&& work) {
  try {
    work();
  } catch (const ErrorType& error) {
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return "";
}

TEST(TextReaderTest, FoldersGiveColumnsThatAreNoPartOfTheFile) {
  const TextName name{"file:///lake/day=2024-01-02/kind=a%20b/x.csv", "x.csv"};
  EXPECT_EQ(Rows("csv", "1,2\n", "a int, day date, kind string, b int", {}, name),
            json::parse(R"([[1,19724,"a b",2]])"));
  const TextName json_name{"file:///lake/n=__HIVE_DEFAULT_PARTITION__/x.json", "x.json"};
  EXPECT_EQ(Rows("json", R"({"a":1,"n":7})", "a int, n int", {}, json_name),
            json::parse("[[1,null]]"));
}

TEST(TextReaderTest, ARowIsThereEvenIfOnlyFoldersAreAskedFor) {
  const TextName name{"file:///lake/n=5/x.csv", "x.csv"};
  EXPECT_EQ(Rows("csv", "1\n2\n", "a int, n int", {}, name, {"n"}), json::parse("[[5],[5]]"));
}

TEST(TextReaderTest, FoldersCountForNothingWhereTheNameIsNotStored) {
  const TextName name{"", "file:///lake/a=5/x.csv"};
  EXPECT_EQ(Rows("csv", "1\n", "a int", {}, name), json::parse("[[1]]"));
}

TEST(TextReaderTest, FailFastNamesFileAndLine) {
  for (const std::string format : {"csv", "json"}) {
    const std::string bytes =
        format == "csv" ? "1\n2\nx\n" : "{\"a\":1}\n{\"a\":2}\n{\"a\":\"x\"}\n";
    const std::string message = Message<InvalidFile>([&] {
      Rows(format, bytes, "a int", {{"mode", "FailFast"}}, {"", "file:///l/bad"});
    });
    EXPECT_THAT(message, HasSubstr("file:///l/bad"));
    EXPECT_THAT(message, HasSubstr("line 3"));
    EXPECT_THAT(message, HasSubstr("PERMISSIVE"));
  }
}

TEST(TextReaderTest, ADamagedCompressedFileIsReportedByName) {
  for (const char* suffix : {".gz", ".bz2", ".zst", ".deflate"}) {
    const std::string name = std::string("file:///l/bad.csv") + suffix;
    EXPECT_THAT(Message<InvalidFile>([&] {
                  Rows("csv", "this is no compressed text", "a int", {}, {"", name});
                }),
                HasSubstr(name));
  }
}

TEST(TextReaderTest, AnUnknownCompressionIsRefusedWithThoseThatThereAre) {
  const std::string message = Message<InvalidFile>([] {
    Rows("csv", "1\n", "a int", {}, {"", "x.csv.lz4"});
  });
  EXPECT_THAT(message, HasSubstr(".lz4"));
  EXPECT_THAT(message, HasSubstr(".bz2"));
}

TEST(TextReaderTest, TypesThatATextCannotHoldAreRefusedByColumn) {
  EXPECT_THAT(Message<UnsupportedColumn>([] { Rows("csv", "1\n", "ok int, bad array<int>"); }),
              HasSubstr("'bad'"));
  EXPECT_THAT(Message<UnsupportedColumn>([] { Rows("json", "", "bad map<int,int>"); }),
              HasSubstr("'bad'"));
  EXPECT_THAT(Message<UnsupportedColumn>([] { Rows("csv", "", "a int, _corrupt_record string"); }),
              HasSubstr("_corrupt_record"));
}

TEST(TextReaderTest, AColumnThatIsNotDeclaredIsAnError) {
  EXPECT_THAT(Message<ColumnNotFound>([] {
                Rows("csv", "1\n", "a int", {}, {"", "x"}, {"b"});
              }),
              HasSubstr("'b'"));
}

TEST(TextFormatTest, AnUnknownOptionIsRefusedByNameWithThoseThatThereAre) {
  for (const char* name : {"columnNameOfCorruptRecord", "nonsense", "maxColumns"}) {
    const std::string message = Message<InvalidArgument>([&] {
      CheckReadOptions("csv", {{name, "1"}});
    });
    EXPECT_THAT(message, HasSubstr(name));
    EXPECT_THAT(message, HasSubstr("delimiter"));
  }
  EXPECT_THAT(Message<InvalidArgument>([] {
                CheckReadOptions("json", {{"delimiter", ","}});
              }),
              HasSubstr("'delimiter'"));
  EXPECT_THAT(Message<InvalidArgument>([] { CheckReadOptions("orc", {}); }), HasSubstr("orc"));
  CheckReadOptions("parquet", {{"mergeSchema", "true"}});
}

TEST(TextFormatTest, NamesOfOptionsHaveNoCase) {
  const TextOptions options =
      ReadTextOptions({"csv", {{"HEADER", "True"}, {"Delimiter", "|"}, {"MODE", "dropmalformed"}}});
  EXPECT_TRUE(options.header);
  EXPECT_EQ(options.delimiter, "|");
  EXPECT_EQ(options.mode, ParseMode::kDropMalformed);
}

TEST(TextFormatTest, SepCountsBeforeDelimiterInAnyOrder) {
  EXPECT_EQ(ReadTextOptions({"csv", {{"sep", ";"}, {"delimiter", "|"}}}).delimiter, ";");
  EXPECT_EQ(ReadTextOptions({"csv", {{"delimiter", "|"}, {"sep", ";"}}}).delimiter, ";");
}

TEST(TextFormatTest, ValuesThatCannotBeMeantAreRefusedByOption) {
  const std::vector<std::pair<std::string, std::string>> bad = {{"header", "yes"},
                                                                {"quote", "ab"},
                                                                {"quote", "ä"},
                                                                {"sep", ""},
                                                                {"sep", "\\"},
                                                                {"sep", "\n"},
                                                                {"encoding", "EBCDIC"},
                                                                {"mode", "LENIENT"},
                                                                {"dateFormat", "Q"},
                                                                {"dateFormat", "'x"},
                                                                {"timestampFormat", "yyyy-MM-dd E"},
                                                                {"timeZone", "CET"},
                                                                {"locale", "de-DE"},
                                                                {"enforceSchema", "false"},
                                                                {"encoding", "UTF-16"}};
  for (const auto& [name, value] : bad) {
    EXPECT_THAT(Message<InvalidArgument>([&] {
                  CheckReadOptions("csv", {{name, value}});
                }),
                HasSubstr("'" + name + "'"))
        << value;
  }
}

// Lines of all lengths, so that line ends, characters and quotes fall on each side of the borders
// of the pieces that a file is read in.
TEST(TextReaderTest, ALargeFileHasTheRowsThatWereWritten) {
  std::mt19937 random(7);
  for (const std::string line_end : {"\n", "\r\n", "\r"}) {
    for (const bool multi_line : {false, true}) {
      std::string bytes;
      json expected = json::array();
      while (bytes.size() < (5U << 20)) {
        std::string text;
        const size_t pieces = random() % 200;
        for (size_t i = 0; i < pieces; ++i) {
          static const std::vector<std::string> kPieces = {"a", "é", "北", "😀", ",", " ", "xyz"};
          text += kPieces[random() % kPieces.size()];
        }
        if (multi_line && random() % 5 == 0) text += "\nb";
        const int number = static_cast<int>(random() % 100000);
        bytes += std::to_string(number) + ",\"" + text + "\"" + line_end;
        expected.push_back({number, text.empty() ? json() : json(text)});
      }
      const Options options = multi_line ? Options{{"multiLine", "true"}} : Options{};
      const json found = Rows("csv", bytes, "n int, t string", options);
      ASSERT_EQ(found.size(), expected.size()) << json(line_end) << multi_line;
      for (size_t i = 0; i < found.size(); ++i) ASSERT_EQ(found[i], expected[i]);
    }
  }
}

TEST(TextReaderTest, LongRowsComeAFewAtATime) {
  constexpr int64_t kRows = 40;
  const std::string long_text(3 << 20, 'x');
  for (const bool csv : {true, false}) {
    std::string text;
    for (int64_t i = 0; i < kRows; ++i) {
      text += csv ? long_text + "\n" : "{\"a\": \"" + long_text + "\"}\n";
    }
    TextReader reader(File(text), TextName{"", "x"}, SchemaOfDdl("a string"),
                      ReadTextOptions({csv ? "csv" : "json", {}}), {"a"}, 8192);
    int64_t rows = 0;
    while (const auto batch = reader.Next()) {
      EXPECT_LT(batch->num_rows(), kRows);
      rows += batch->num_rows();
    }
    EXPECT_EQ(rows, kRows);
  }
}

TEST(TextReaderTest, AnEncodedFileHasTheRowsThatWereWritten) {
  // Two bytes a character, with a piece's border within one.
  std::string bytes = "\xff\xfe";
  json expected = json::array();
  for (int i = 0; i < 300000; ++i) {
    for (const char c : std::to_string(i) + "\n") bytes += {c, '\0'};
    expected.push_back({i});
  }
  EXPECT_EQ(Rows("csv", bytes, "n int", {{"encoding", "UTF-16"}, {"multiLine", "true"}}), expected);
}

TEST(TextSourceTest, OnePassGivesTheValuesOfAllColumns) {
  const auto schema = SchemaOfDdl("a int, b string, day date");
  const TextSource source(File("1,x\n2,y\n,z\n"), "file:///lake/day=2024-01-02/x.csv", schema,
                          ReadTextOptions({"csv", {}}));
  EXPECT_GE(source.RowUpperBound(), 3);
  EXPECT_EQ(source.ExactRange("a"), std::nullopt);
  EXPECT_GT(source.MemoryUpperBound("b"), 0);
  EXPECT_GE(source.DistinctUpperBound("a"), 2);
  std::vector<json> values(2, json::array());
  source.VisitRows({"b", "day"}, [&](const arrow::RecordBatch& rows) {
    for (int column = 0; column < 2; ++column) {
      for (int64_t i = 0; i < rows.num_rows(); ++i) {
        values[column].push_back(ValueJson(*rows.column(column), i));
      }
    }
  });
  EXPECT_EQ(values[0], json::parse(R"(["x","y","z"])"));
  EXPECT_EQ(values[1], json::parse("[19724,19724,19724]"));
}

TEST(TextSourceTest, WhatAVisitorThrowsPassesThrough) {
  const TextSource source(File("1\n"), "file:///lake/x.csv", SchemaOfDdl("a int"),
                          ReadTextOptions({"csv", {}}));
  EXPECT_THROW(source.VisitDistinct("a", [](const arrow::Array&) { throw 5; }), int);
}

TEST(TextSourceTest, ABoundOfACompressedFileCountsWhatItExpandsTo) {
  const std::string text(100000, '1');
  const auto codec = *arrow::util::Codec::Create(arrow::Compression::ZSTD);
  std::string packed(codec->MaxCompressedLen(text.size(), nullptr), '\0');
  packed.resize(*codec->Compress(text.size(), reinterpret_cast<const uint8_t*>(text.data()),
                                 packed.size(), reinterpret_cast<uint8_t*>(packed.data())));
  const TextSource source(File(packed), "file:///lake/x.csv.zst", SchemaOfDdl("a string"),
                          ReadTextOptions({"csv", {}}));
  EXPECT_GT(source.MemoryUpperBound("a"), static_cast<int64_t>(packed.size()));
  int64_t length = 0;
  source.VisitDistinct("a", [&](const arrow::Array& array) {
    length += static_cast<const arrow::StringArray&>(array).GetView(0).size();
  });
  EXPECT_EQ(length, 100000);
}

}  // namespace
}  // namespace ariadne::text
