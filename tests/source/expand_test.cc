#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ariadne/errors.h"
#include "source/file_uri.h"
#include "storage/object_store.h"

namespace ariadne::source {
namespace {

using ::testing::ElementsAre;

class Expansion : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "ariadne src XXXXXX").string();
    root_ = ::mkdtemp(pattern.data());
  }
  void TearDown() override { std::filesystem::remove_all(root_); }

  void Write(const std::string& name, const std::string& content = "x") const {
    const auto path = root_ / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << content;
  }
  // Names below the root, as they come back.
  [[nodiscard]] std::vector<std::string> Names(const std::string& name,
                                               const std::vector<PathMapping>& mappings = {},
                                               const std::string& base = "") const {
    const std::string prefix = CanonicalUri(base.empty() ? root_.string() : base) + "/";
    std::vector<std::string> names;
    for (const std::string& uri : Expand(name, stores_, mappings)) {
      EXPECT_TRUE(uri.starts_with(prefix)) << uri;
      EXPECT_EQ(CanonicalUri(uri), uri);
      names.push_back(uri.substr(prefix.size()));
    }
    return names;
  }
  [[nodiscard]] std::string At(const std::string& name) const { return (root_ / name).string(); }

  std::filesystem::path root_;
  storage::Stores stores_;
};

TEST_F(Expansion, AFileIsItsCanonicalNameHoweverItIsSpelt) {
  Write("sp ace ünï.parquet");
  const std::string wanted = "sp%20ace%20ünï.parquet";
  EXPECT_THAT(Names(At("sp ace ünï.parquet")), ElementsAre(wanted));
  EXPECT_THAT(Names(CanonicalUri(At("sp ace ünï.parquet"))), ElementsAre(wanted));
  EXPECT_THAT(Names("file:" + At("sp ace ünï.parquet")), ElementsAre(wanted));
  EXPECT_THAT(Names(At("./x/../sp ace ünï.parquet")), ElementsAre(wanted));
}

TEST_F(Expansion, AFolderIsTheDataFilesBelowIt) {
  Write("a/e1.parquet");
  Write("a/dt=2024-01-01/h=1 2/e2.parquet");
  Write("a/_p=1/e3.parquet");
  Write("a/100%.parquet");
  Write("a/empty.parquet", "");
  Write("a/_SUCCESS", "");
  Write("a/_delta_log/0.json");
  Write("a/.e1.parquet.crc");
  Write("a/.hidden/e.parquet");
  Write("a/sub_$folder$", "");
  Write("a/marker", "");
  Write("ab/other.parquet");
  for (const std::string& name : {At("a"), At("a/"), "file://" + At("a")}) {
    EXPECT_THAT(Names(name), ElementsAre("a/100%25.parquet", "a/_p=1/e3.parquet",
                                         "a/dt=2024-01-01/h=1%202/e2.parquet", "a/e1.parquet",
                                         "a/empty.parquet"))
        << name;
  }
}

TEST_F(Expansion, AGlobIsTheFilesThatMatch) {
  for (const char* name : {"e0.parquet", "e1.parquet", "e2.parquet", "x.json", "_e.parquet",
                           "dt=1/a.parquet", "dt=2/a.parquet", "dt=2/deep/b.parquet"}) {
    Write(name);
  }
  EXPECT_THAT(Names(At("e[01].parquet")), ElementsAre("e0.parquet", "e1.parquet"));
  EXPECT_THAT(Names(At("e{2,0}.parquet")), ElementsAre("e0.parquet", "e2.parquet"));
  EXPECT_THAT(Names(At("{e0,dt=1/a}.parquet")), ElementsAre("dt=1/a.parquet", "e0.parquet"));
  EXPECT_THAT(Names(At("{e0.parquet,none}")), ElementsAre("e0.parquet"));
  EXPECT_THAT(Names(At("dt=*")),
              ElementsAre("dt=1/a.parquet", "dt=2/a.parquet", "dt=2/deep/b.parquet"));
  EXPECT_THAT(Names(At("dt=*/*.parquet")), ElementsAre("dt=1/a.parquet", "dt=2/a.parquet"));
  EXPECT_THAT(Names(At("**/b.parquet")), ElementsAre("dt=2/deep/b.parquet"));
  EXPECT_THAT(Names("file://" + At("e?.parquet")),
              ElementsAre("e0.parquet", "e1.parquet", "e2.parquet"));
}

TEST_F(Expansion, ANameThatExistsIsNoGlobAndNorIsAnEscapedOne) {
  Write("e[01].parquet");
  Write("e0.parquet");
  Write("d*/f.parquet");
  Write("dd/f.parquet");
  EXPECT_THAT(Names(At("e[01].parquet")), ElementsAre("e%5B01%5D.parquet"));
  EXPECT_THAT(Names(At("d*")), ElementsAre("d*/f.parquet"));
  EXPECT_THROW(Names("file://" + At("e%5B0%5D.parquet")), FileNotFound);
  EXPECT_THAT(Names("file://" + At("e[0].parquet")), ElementsAre("e0.parquet"));
}

TEST_F(Expansion, ANameOfNothingIsFileNotFoundAndNamesIt) {
  Write("only/_hidden.parquet");
  for (const char* name : {"gone.parquet", "gone/", "*.parquet", "only", "e%20.parquet"}) {
    try {
      Expand(At(name), stores_, {});
      FAIL() << name;
    } catch (const FileNotFound& error) {
      EXPECT_THAT(error.what(), ::testing::HasSubstr(At(name)));
    }
  }
  EXPECT_THROW(Expand("/*/x.parquet", stores_, {}), InvalidArgument);
  EXPECT_THROW(Expand("/", stores_, {}), InvalidArgument);
}

TEST_F(Expansion, NamesStayThoseBeforeTheMapping) {
  Write("e 0.parquet");
  Write("p=1/e1.parquet");
  const std::vector<PathMapping> mappings = {{"file:///srv/some where", root_.string()}};
  const std::string base = "/srv/some where";
  EXPECT_THAT(Names(base, mappings, base), ElementsAre("e%200.parquet", "p=1/e1.parquet"));
  EXPECT_THAT(Names(base + "/p=*/*", mappings, base), ElementsAre("p=1/e1.parquet"));
  EXPECT_THAT(Names(base + "/e 0.parquet", mappings, base), ElementsAre("e%200.parquet"));
}

}  // namespace
}  // namespace ariadne::source
