#include "cli/arguments.h"

#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ariadne/errors.h"

namespace ariadne::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

Arguments Parse(const std::vector<std::string>& words) {
  return std::get<Arguments>(ParseArguments(words));
}

template <typename Command>
Command ParseAs(const std::vector<std::string>& words) {
  return std::get<Command>(Parse(words).command);
}

TEST(ArgumentsTest, GlobalOptionsStandBeforeOrAfterTheCommand) {
  for (const auto& words : std::vector<std::vector<std::string>>{
           {"--root", "/r", "--json", "--memory", "1GiB", "update", "ix"},
           {"update", "ix", "--root", "/r", "--json", "--memory", "1GiB"},
           {"--root=/r", "update", "--json", "ix", "--memory=1GiB"}}) {
    const Arguments arguments = Parse(words);
    EXPECT_EQ(arguments.global.root, "/r");
    EXPECT_TRUE(arguments.global.json);
    EXPECT_EQ(arguments.global.options.memory_bytes, 1 << 30);
    EXPECT_EQ(std::get<UpdateArguments>(arguments.command).name, "ix");
  }
}

TEST(ArgumentsTest, TheRootComesFromTheEnvironmentUnlessGiven) {
  setenv("ARIADNE_ROOT", "/from/env", 1);
  EXPECT_EQ(Parse({"list"}).global.root, "/from/env");
  EXPECT_EQ(Parse({"list", "--root", "/given"}).global.root, "/given");
  unsetenv("ARIADNE_ROOT");
  EXPECT_EQ(Parse({"list"}).global.root, "");
}

TEST(ArgumentsTest, EverySettingReachesTheOptions) {
  const Options options = Parse({"list",
                                 "--unindexed",
                                 "exclude",
                                 "--path-map",
                                 "/a=/b",
                                 "--path-map",
                                 "s3a://x=s3://y",
                                 "--storage",
                                 "aws_region=eu",
                                 "--storage",
                                 "aws_endpoint=http://h?a=b",
                                 "--threads",
                                 "3",
                                 "--large-index-limit",
                                 "7",
                                 "--staging-consolidation-threshold",
                                 "2",
                                 "--lock-timeout",
                                 "1.5",
                                 "--lock-retry-interval",
                                 "0.25",
                                 "--lock-max-wait",
                                 "0",
                                 "--lock-refresh-interval",
                                 "4",
                                 "--token-time-zone",
                                 "Europe/Berlin"})
                              .global.options;
  EXPECT_EQ(options.unindexed, Unindexed::kExclude);
  ASSERT_EQ(options.path_map.size(), 2U);
  EXPECT_EQ(options.path_map[1].to, "s3://y");
  EXPECT_EQ(options.storage.at("aws_region"), "eu");
  EXPECT_EQ(options.storage.at("aws_endpoint"), "http://h?a=b");
  EXPECT_EQ(options.threads, 3);
  EXPECT_EQ(options.large_index_limit, 7);
  EXPECT_EQ(options.staging_consolidation_threshold, 2);
  EXPECT_EQ(options.lock_timeout_seconds, 1.5);
  EXPECT_EQ(options.lock_retry_interval_seconds, 0.25);
  EXPECT_EQ(options.lock_max_wait_seconds, 0);
  EXPECT_EQ(options.lock_refresh_interval, 4);
  EXPECT_EQ(options.token_time_zone, "Europe/Berlin");
}

TEST(ArgumentsTest, SettingsOutOfRangeAreRefused) {
  for (const auto& words : std::vector<std::vector<std::string>>{{"--threads", "-1"},
                                                                 {"--large-index-limit", "0"},
                                                                 {"--lock-timeout", "nan"},
                                                                 {"--lock-max-wait", "-1"},
                                                                 {"--threads", "many"},
                                                                 {"--memory", "0.5"}}) {
    std::vector<std::string> all = {"list"};
    all.insert(all.end(), words.begin(), words.end());
    EXPECT_THROW(ParseArguments(all), InvalidArgument) << words[0];
  }
}

TEST(ArgumentsTest, RepeatedFlagsTakeOneValueEach) {
  const auto create =
      ParseAs<CreateArguments>({"create", "--regular", "a", "--regular", "b", "--bloom", "c:0.1",
                                "--range", "d", "ix", "--schema-from", "data/"});
  EXPECT_EQ(create.name, "ix");
  ASSERT_EQ(create.columns.size(), 4U);
  EXPECT_EQ(create.columns[2].column, "c");
  EXPECT_EQ(create.columns[2].fpr, 0.1);
  EXPECT_EQ(create.columns[3].kind, IndexedColumn::Kind::kRange);
}

TEST(ArgumentsTest, NamesThatLookLikeCommandsListsOrOptionsAreNames) {
  EXPECT_EQ(ParseAs<DescribeArguments>({"describe", "list"}).name, "list");
  EXPECT_EQ(ParseAs<UpdateArguments>({"update", "update"}).name, "update");
  EXPECT_EQ(ParseAs<UpdateArguments>({"update", "--", "-x"}).name, "-x");
  EXPECT_THAT(ParseAs<AddArguments>({"add", "ix", "[ab]", "files", "{}", "a,b", ""}).paths,
              ElementsAre("[ab]", "files", "{}", "a,b", ""));
  const auto create = ParseAs<CreateArguments>(
      {"create", "ix", "--schema-from", "[x]", "--regular", "[a,b]", "--regular", "{}"});
  EXPECT_EQ(create.schema_from, "[x]");
  ASSERT_EQ(create.columns.size(), 2U);
  EXPECT_EQ(create.columns[0].column, "[a,b]");
  EXPECT_EQ(create.columns[1].column, "{}");
}

TEST(ArgumentsTest, LocateTakesOneKindOfQuestion) {
  EXPECT_EQ(ParseAs<LocateArguments>({"locate", "ix", "--where", "a=1,2", "--where", "b=-1"})
                .probes.size(),
            2U);
  EXPECT_EQ(
      ParseAs<LocateArguments>({"locate", "ix", "--where-json", R"({"a": [1]})"}).probes.size(),
      1U);
  EXPECT_THAT(ParseAs<LocateArguments>({"locate", "ix", "--keys", "k.csv", "--on", "a,\"b,c\""}).on,
              ElementsAre("a", "b,c"));
  for (const auto& words : std::vector<std::vector<std::string>>{
           {"locate", "ix"},
           {"locate", "ix", "--where", "a=1", "--keys", "k.csv", "--on", "a"},
           {"locate", "ix", "--keys", "k.csv"},
           {"locate", "ix", "--where", "a=1", "--on", "a"}}) {
    EXPECT_THROW(ParseArguments(words), InvalidArgument);
  }
}

TEST(ArgumentsTest, JoinKnowsItsTypesAndSides) {
  const auto join =
      ParseAs<JoinArguments>({"join", "ix", "keys.csv", "--on", "a,b", "--how", "left_anti",
                              "--keys-left", "--select", "c", "-o", "out.csv", "--rows", "0"});
  EXPECT_EQ(join.keys_file, "keys.csv");
  EXPECT_THAT(join.options.on, ElementsAre("a", "b"));
  EXPECT_EQ(join.options.how, JoinType::kLeftAnti);
  EXPECT_TRUE(join.options.keys_left);
  EXPECT_THAT(join.options.select, ElementsAre("c"));
  EXPECT_EQ(join.output, "out.csv");
  EXPECT_EQ(join.max_rows, 0);
  EXPECT_THAT(([] {
                Parse({"join", "ix", "k.csv", "--on", "a", "--how", "full"});
              }),
              ThrowsMessage<InvalidArgument>(HasSubstr("left_semi")));
}

TEST(ArgumentsTest, NamesOfColumnsMayHoldCommasAndStandInSeveralFlags) {
  const auto join =
      ParseAs<JoinArguments>({"join", "ix", "keys.csv", "--on", "\"a,b\",c", "--on", "\"d\"\"\"",
                              "--select", "[x]", "--select", "\"e, f\",g"});
  EXPECT_THAT(join.options.on, ElementsAre("a,b", "c", "d\""));
  EXPECT_THAT(join.options.select, ElementsAre("[x]", "e, f", "g"));
  EXPECT_THAT(
      ParseAs<LocateArguments>({"locate", "ix", "--keys", "k.csv", "--on", "a", "--on", "\"b,c\""})
          .on,
      ElementsAre("a", "b,c"));
  EXPECT_THROW(Parse({"join", "ix", "k.csv", "--on", "\"a"}), InvalidArgument);
}

TEST(ArgumentsTest, ATimeZoneThatIsNoneIsRefused) {
  EXPECT_THAT(([] {
                Parse({"list", "--token-time-zone", "Mars/Olympus"});
              }),
              ThrowsMessage<InvalidArgument>(HasSubstr("Mars/Olympus")));
}

TEST(ArgumentsTest, CreateNeedsOneSchema) {
  EXPECT_THROW(Parse({"create", "ix"}), InvalidArgument);
  EXPECT_THROW(Parse({"create", "ix", "--schema", "a.json", "--schema-from", "b"}),
               InvalidArgument);
  EXPECT_THROW(Parse({"create", "ix", "--schema", "a.json", "--format", "avro"}), InvalidArgument);
}

TEST(ArgumentsTest, WrongUsageNamesTheHelpToRead) {
  EXPECT_THAT([] { Parse({}); }, ThrowsMessage<InvalidArgument>(HasSubstr("ariadne --help")));
  EXPECT_THAT([] { Parse({"frobnicate"}); },
              ThrowsMessage<InvalidArgument>(HasSubstr("frobnicate")));
  EXPECT_THAT(([] {
                Parse({"list", "--frobnicate"});
              }),
              ThrowsMessage<InvalidArgument>(HasSubstr("--frobnicate")));
  EXPECT_THAT([] { Parse({"update"}); },
              ThrowsMessage<InvalidArgument>(HasSubstr("ariadne update --help")));
}

TEST(ArgumentsTest, EveryCommandHasHelpWithExamples) {
  for (const char* command : {"create", "add", "update", "locate", "join", "list", "describe",
                              "files", "remove", "demo"}) {
    const auto text = std::get<RequestedText>(ParseArguments({command, "--help"})).text;
    EXPECT_THAT(text, HasSubstr(std::string("ariadne ") + command));
    EXPECT_THAT(text, HasSubstr("Examples:"));
  }
  EXPECT_THAT(std::get<RequestedText>(ParseArguments({"--help"})).text, HasSubstr("Exit codes"));
  EXPECT_THAT(std::get<RequestedText>(ParseArguments({"--version"})).text, HasSubstr("ariadne 0."));
}

TEST(ArgumentsTest, EveryKindOfIndexIsDeclaredByCreateAndByDeclare) {
  for (const bool create : {true, false}) {
    std::vector<std::string> words = {create ? "create" : "declare",
                                      "ix",
                                      "--regular",
                                      "a",
                                      "--bloom",
                                      "b:0.1",
                                      "--range",
                                      "c",
                                      "--computed",
                                      "d=if(x = 1, 'a:b', y)",
                                      "--temporal",
                                      "e:meta.at",
                                      "--exploded",
                                      "tags.p.q:f",
                                      "--exploded",
                                      "ids:g"};
    if (create) words.insert(words.end(), {"--schema", "s.json"});
    const auto columns =
        create ? ParseAs<CreateArguments>(words).columns : ParseAs<DeclareArguments>(words).columns;
    using Kind = IndexedColumn::Kind;
    const std::vector<IndexedColumn> expected = {
        {.kind = Kind::kRegular, .column = "a"},
        {.kind = Kind::kBloom, .column = "b", .fpr = 0.1},
        {.kind = Kind::kRange, .column = "c"},
        {.kind = Kind::kComputed, .column = "d", .expression = "if(x = 1, 'a:b', y)"},
        {.kind = Kind::kTemporal, .column = "e", .timestamp_column = "meta.at"},
        {.kind = Kind::kExploded, .column = "f", .array_column = "tags", .field_path = "p.q"},
        {.kind = Kind::kExploded, .column = "g", .array_column = "ids"}};
    EXPECT_EQ(columns, expected);
  }
}

TEST(ArgumentsTest, ADeclarationThatLacksAPartIsRefused) {
  for (const auto& words : std::vector<std::vector<std::string>>{{},
                                                                 {"--computed", "year(ts)"},
                                                                 {"--computed", "=ts"},
                                                                 {"--computed", "y="},
                                                                 {"--temporal", "id"},
                                                                 {"--temporal", "id:"},
                                                                 {"--temporal", ":ts"},
                                                                 {"--exploded", "tags"},
                                                                 {"--exploded", "tags.k"},
                                                                 {"--exploded", ":k"},
                                                                 {"--exploded", "tags:"},
                                                                 {"--exploded", "tags.:k"},
                                                                 {"--exploded", ".k:k"}}) {
    std::vector<std::string> all = {"declare", "ix"};
    all.insert(all.end(), words.begin(), words.end());
    EXPECT_THAT([&] { Parse(all); },
                ThrowsMessage<InvalidArgument>(HasSubstr("ariadne declare --help")))
        << testing::PrintToString(words);
  }
  EXPECT_THROW(Parse({"list", "--auto-bloom-fpr", "0"}), InvalidArgument);
  EXPECT_EQ(Parse({"list", "--auto-bloom-fpr", "0.2"}).global.options.auto_bloom_fpr, 0.2);
}

}  // namespace
}  // namespace ariadne::cli
