// Patterns and files of suppressions, as ThreadSanitizer's users write them.
#include "analysis/suppressions.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>

namespace heddle {
namespace {

TEST(Suppressions, APatternMatchesAnywhere) {
  EXPECT_TRUE(matches_suppression("Queue", "my::Queue::push"));
  EXPECT_TRUE(matches_suppression("push", "push"));
  EXPECT_FALSE(matches_suppression("pop", "my::Queue::push"));
  EXPECT_FALSE(matches_suppression("pop", ""));
}

TEST(Suppressions, StarsStandForAnyText) {
  EXPECT_TRUE(matches_suppression("my*push", "my::Queue::push"));
  EXPECT_TRUE(matches_suppression("*", "x"));
  EXPECT_FALSE(matches_suppression("push*my", "my::Queue::push"));
  EXPECT_TRUE(matches_suppression("a*b*c", "xaxxbxxcx"));
}

TEST(Suppressions, AnchorsHold) {
  EXPECT_TRUE(matches_suppression("^my", "my::Queue"));
  EXPECT_FALSE(matches_suppression("^Queue", "my::Queue"));
  EXPECT_TRUE(matches_suppression("Queue$", "my::Queue"));
  EXPECT_FALSE(matches_suppression("my$", "my::Queue"));
  EXPECT_TRUE(matches_suppression("^my::Queue$", "my::Queue"));
  EXPECT_FALSE(matches_suppression("^my::Que$", "my::Queue"));
  EXPECT_TRUE(matches_suppression("^my*ue$", "my::Queue"));
  EXPECT_FALSE(matches_suppression("^ab*b$", "ab"));
}

TEST(Suppressions, LinesThatAreNone) {
  Suppressions suppressions;
  EXPECT_EQ(suppressions.add("# race:comment"), "");
  EXPECT_EQ(suppressions.add("   "), "");
  EXPECT_EQ(suppressions.add("deadlock:x"), "");
  EXPECT_TRUE(suppressions.empty());
  EXPECT_NE(suppressions.add("counter"), "");
  EXPECT_NE(suppressions.add("races:counter"), "");
  EXPECT_EQ(suppressions.add(" race:counter "), "");
  EXPECT_EQ(suppressions.match("the_counter"), "race:counter");
  EXPECT_EQ(suppressions.match("other"), "");
}

TEST(Suppressions, AFileNamesItsWrongLine) {
  const std::string path = testing::TempDir() + "suppressions.txt";
  std::ofstream(path) << "race:fine\nwhat is this\n";
  EXPECT_NE(read_suppressions(path).error.find(":2: "), std::string::npos);
  std::remove(path.c_str());
  EXPECT_NE(read_suppressions(path).error.find("can't be read"), std::string::npos);
  EXPECT_EQ(read_suppressions("").error, "");
}

}  // namespace
}  // namespace heddle
