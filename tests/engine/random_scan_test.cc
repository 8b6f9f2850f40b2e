#include <arrow/table.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "ariadne/errors.h"
#include "random_files.h"

namespace ariadne::engine {
namespace {

// More rounds by ARIADNE_RANDOM_ROUNDS.
int Rounds(int usual) {
  const char* more = std::getenv("ARIADNE_RANDOM_ROUNDS");
  return more == nullptr ? usual : std::atoi(more);
}

void ExpectSame(Session& session, const std::string& before, const std::string& after, int seed) {
  const std::string truth = before + "truth" + after;
  std::vector<std::string> expected;
  try {
    expected = Rows(session, truth);
  } catch (const QueryError& error) {
    FAIL() << "not a question at all: " << truth << ": " << error.what();
  }
  try {
    EXPECT_EQ(Rows(session, before + "lake" + after), expected)
        << "seed " << seed << ": " << before << "lake" << after;
  } catch (const QueryError& error) {
    ADD_FAILURE() << "seed " << seed << ": " << before << "lake" << after << ": " << error.what();
  }
}

TEST(RandomScan, AnswersAsTheRowsInMemoryDo) {
  auto session = OpenSession();
  for (int seed = 0; seed < Rounds(30); ++seed) {
    std::mt19937 random(seed);
    TempLake lake;
    const auto files = MakeRandomFiles(lake, random);
    session->RegisterFiles("lake", files.files);
    session->RegisterTable("truth", files.truth);
    ExpectSame(*session, "SELECT * FROM ", "", seed);
    const std::vector<std::string> projections = {"*",     "id",          "count(*)",  "st.y, id",
                                                  "ls, l", "mp, p, q, b", "x, st.x, m"};
    for (int i = 0; i < 25; ++i) {
      const std::string predicate = RandomPredicate(random);
      const auto& projection = projections[random() % projections.size()];
      ExpectSame(*session, "SELECT " + projection + " FROM ", " WHERE " + predicate, seed);
      if (::testing::Test::HasFailure()) return;
    }
  }
}

TEST(RandomScan, JoinsKeysAsTheRowsInMemoryDo) {
  auto session = OpenSession();
  for (int seed = 0; seed < Rounds(20); ++seed) {
    std::mt19937 random(1000 + seed);
    TempLake lake, keys_lake;
    const auto files = MakeRandomFiles(lake, random);
    session->RegisterFiles("lake", files.files);
    session->RegisterTable("truth", files.truth);
    session->RegisterTable("more", MakeRandomFiles(keys_lake, random).truth);
    for (const std::string column : {"id", "i", "x", "f", "m", "s", "b", "d", "t", "n", "p", "q"}) {
      const int keys = 1 + static_cast<int>(random() % 8);
      session->RegisterTable(
          "keys",
          session
              ->Query("SELECT " + column + " AS k, id AS n FROM more LIMIT " + std::to_string(keys))
              ->ToTable()
              .ValueOrDie());
      ExpectSame(*session, "SELECT l.id, k, keys.n FROM ", " l JOIN keys ON l." + column + " = k",
                 seed);
      ExpectSame(*session, "SELECT id FROM ",
                 " l WHERE " + column + " IN (SELECT k FROM keys) AND i > 20", seed);
      ExpectSame(*session, "SELECT k, l.id FROM keys LEFT JOIN ",
                 " l ON l." + column + " = k AND l.q < 3", seed);
      ExpectSame(*session, "SELECT id FROM ", " ORDER BY " + column + " NULLS LAST, id LIMIT 5",
                 seed);
      if (::testing::Test::HasFailure()) return;
    }
  }
}

}  // namespace
}  // namespace ariadne::engine
