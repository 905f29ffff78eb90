// Hunts: how many wait, whose turn it is, and that they never change what a bound proves.
#include "farm/hunts.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "farm/merge.h"

namespace heddle::farm {
namespace {

ShardResult result_of(const Shard& hunt, std::uint64_t first_class, std::uint64_t classes) {
  ShardResult result;
  result.id = hunt.id;
  result.progress.run = {classes};
  result.seconds = 1;
  for (std::uint64_t i = 0; i < classes; ++i) result.classes.add(first_class + i);
  return result;
}

TEST(Hunts, SoManyWaitWhateverComes) {
  Hunts hunts({.searches = {"a", "b", "c"}, .waiting = 4});
  std::set<std::uint64_t> seeds;
  for (unsigned i = 0; i < 100; ++i) {
    ASSERT_EQ(hunts.waiting().size(), 4u);
    for (const auto& [id, hunt] : hunts.waiting()) {
      EXPECT_TRUE(hunts.is_one(id));
      seeds.insert(hunt.seed);
    }
    ShardResult result = result_of(hunts.waiting().begin()->second, i, 1);
    EXPECT_EQ(hunts.take(result), Taken::Counted);
    EXPECT_EQ(hunts.take(result), Taken::Ignored);
  }
  EXPECT_EQ(seeds.size(), 103u);  // each hunt draws others
  EXPECT_EQ(hunts.done(), 100u);
  EXPECT_EQ(hunts.schedules(), 100u);
}

TEST(Hunts, GoMostlyToTheSearchThatBringsNewClasses) {
  Hunts hunts({.searches = {"dull", "bright", "dark"}, .waiting = 2});
  std::map<std::string, unsigned> turns;
  std::uint64_t next_class = 1;
  for (unsigned i = 0; i < 200; ++i) {
    const Shard hunt = hunts.waiting().begin()->second;
    ++turns[hunt.search];
    hunts.take(result_of(hunt, hunt.search == "bright" ? next_class : 1, 10));
    next_class += 10;
  }
  EXPECT_GT(turns["bright"], 120u);
  EXPECT_GT(turns["dull"], 25u);  // the others are never left out
  EXPECT_GT(turns["dark"], 25u);
}

TEST(Hunts, WhatTheyLearnGoesToLaterHuntsOnly) {
  Merge merge({.pieces = 1, .hunts = {.searches = {"a"}, .waiting = 1}});
  const Shard hunt = merge.hunts().waiting().begin()->second;
  ShardResult result = result_of(hunt, 1, 5);
  result.points = {{"program", 7}};
  result.bugs.push_back({"key", "deadlock", "", "", 3, "", 0});
  const std::string before = to_bytes(merge.waiting().begin()->second);
  Merge going_on({.keep_going = true, .pieces = 1, .hunts = {.searches = {"a"}, .waiting = 1}});
  EXPECT_EQ(going_on.take(result), Taken::Counted);
  EXPECT_EQ(to_bytes(going_on.waiting().begin()->second), before);
  EXPECT_EQ(going_on.hunts().waiting().begin()->second.points, result.points);
  EXPECT_EQ(going_on.bugs().size(), 1u);
  EXPECT_EQ(going_on.proved().bound, -1);
  EXPECT_EQ(going_on.schedules(), 0u);
  EXPECT_EQ(going_on.schedules_in_all(), 5u);
  EXPECT_FALSE(going_on.over());
  EXPECT_EQ(merge.take(result), Taken::Counted);
  EXPECT_TRUE(merge.over());  // the first bug ends it
}

TEST(Hunts, OneThatAlwaysBreaksDownIsFollowedByAnother) {
  Hunts hunts({.searches = {"a", "b"}, .waiting = 1});
  ShardResult result;
  result.id = hunts.waiting().begin()->first;
  result.broke_down = true;
  result.failed = "killed";
  EXPECT_EQ(hunts.take(result), Taken::Again);
  EXPECT_EQ(hunts.take(result), Taken::Again);
  EXPECT_EQ(hunts.take(result), Taken::Counted);
  EXPECT_FALSE(Hunts::is_fit(result));
  EXPECT_EQ(hunts.waiting().size(), 1u);
  EXPECT_NE(hunts.waiting().begin()->first, result.id);
  EXPECT_EQ(hunts.schedules(), 0u);
}

TEST(Hunts, ASearchThatAlwaysFailsIsGivenUp) {
  Hunts hunts({.searches = {"bad", "good"}, .waiting = 2});
  for (unsigned i = 0; i < 50; ++i) {
    const Shard hunt = hunts.waiting().begin()->second;
    ShardResult result = result_of(hunt, i, 1);
    if (hunt.search == "bad") result.failed = "it does";
    hunts.take(result);
    EXPECT_EQ(hunts.ended_because(), "");
  }
  for (const auto& [id, hunt] : hunts.waiting()) EXPECT_EQ(hunt.search, "good");
  while (!hunts.waiting().empty()) {
    ShardResult result = result_of(hunts.waiting().begin()->second, 1, 1);
    result.failed = "it does, too";
    hunts.take(result);
  }
  EXPECT_EQ(hunts.ended_because(), "it does, too");
}

}  // namespace
}  // namespace heddle::farm
