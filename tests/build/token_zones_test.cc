#include "index/token_zones.h"

#include <fstream>

#include <gtest/gtest.h>

#include "temp_folder.h"

namespace ariadne::index {
namespace {

using ariadne::testing::TempFolder;

TEST(TokenZones, RemembersTheZoneOfEachFilterOverManyUpdates) {
  TempFolder folder;
  const auto native = folder.Ref("native");
  for (int update = 0; update < 100; ++update) {
    const std::string file = "file:///lake/a b%20" + std::to_string(update);
    TokenZones::Record(native, {{file, "ts", static_cast<uint64_t>(update), "UTC"},
                                {file, "tß", 7, "Europe/Berlin"}});
  }
  EXPECT_LE(
      std::distance(std::filesystem::directory_iterator(folder.path() / "native" / "token_zones"),
                    std::filesystem::directory_iterator()),
      33)
      << "they are merged";
  const TokenZones zones = TokenZones::Load(native);
  for (int update = 0; update < 100; ++update) {
    const std::string file = "file:///lake/a b%20" + std::to_string(update);
    EXPECT_EQ(zones.ZoneOf(file, "ts", update), "UTC");
    EXPECT_EQ(zones.ZoneOf(file, "tß", 7), "Europe/Berlin");
  }
}

TEST(TokenZones, DoesNotKnowFiltersThatOthersWrote) {
  TempFolder folder;
  const auto native = folder.Ref("native");
  TokenZones::Record(native, {{"file:///a", "ts", 1, "UTC"}});
  const TokenZones zones = TokenZones::Load(native);
  EXPECT_EQ(zones.ZoneOf("file:///a", "ts", 2), std::nullopt);
  EXPECT_EQ(zones.ZoneOf("file:///a", "other", 1), std::nullopt);
  EXPECT_EQ(zones.ZoneOf("file:///b", "ts", 1), std::nullopt);
}

TEST(TokenZones, KnowsNothingWhereNothingWasRecorded) {
  TempFolder folder;
  EXPECT_EQ(TokenZones::Load(folder.Ref("native")).ZoneOf("file:///a", "ts", 1), std::nullopt);
}

TEST(TokenZones, ADamagedRecordIsForgottenAndTheOthersStay) {
  TempFolder folder;
  const auto native = folder.Ref("native");
  TokenZones::Record(native, {{"file:///a", "ts", 1, "UTC"}});
  std::string damaged;
  for (const auto& entry :
       std::filesystem::directory_iterator(folder.path() / "native" / "token_zones")) {
    damaged = entry.path().string();
  }
  TokenZones::Record(native, {{"file:///b", "ts", 2, "UTC"}});
  std::fstream stream(damaged, std::ios::in | std::ios::out | std::ios::binary);
  stream.seekp(12);
  stream.put('x');
  stream.close();
  const TokenZones zones = TokenZones::Load(native);
  EXPECT_EQ(zones.ZoneOf("file:///a", "ts", 1), std::nullopt);
  EXPECT_EQ(zones.ZoneOf("file:///b", "ts", 2), "UTC");
}

}  // namespace
}  // namespace ariadne::index
