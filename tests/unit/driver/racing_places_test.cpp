// The places of data races: each pair once, and which of them become scheduling points.
#include "driver/explore/racing_places.h"

#include <gtest/gtest.h>

namespace heddle::test {
namespace {

ExecutionRace race(Site earlier, Site later, unsigned flags = 0) {
  ExecutionRace result;
  result.earlier.site = earlier;
  result.later.site = later;
  result.later.flags = static_cast<decltype(result.later.flags)>(flags);
  return result;
}

Execution with(std::initializer_list<ExecutionRace> races) {
  Execution execution;
  for (const ExecutionRace& one : races) execution.races.push_back(one);
  return execution;
}

TEST(RacingPlaces, EachPairIsNewOnceInWhicheverOrder) {
  RacingPlaces places({}, "", {});
  EXPECT_EQ(places.take_new(with({race(1, 2), race(2, 1)}), false, {}).size(), 1u);
  EXPECT_TRUE(places.take_new(with({race(1, 2)}), false, {}).empty());
  EXPECT_EQ(places.take_new(with({race(1, 3)}), false, {}).size(), 1u);
  EXPECT_EQ(places.points().size(), 3u);
  EXPECT_TRUE(places.has_more_than({}));
}

TEST(RacingPlaces, AtomicAccessesArePointsAlready) {
  RacingPlaces places({}, "", {});
  places.take_new(with({race(1, 2, RaceFlags::Atomic)}), false, {});
  EXPECT_EQ(places.points(), (std::vector<CodePlace>{{{}, 1}}));
}

TEST(RacingPlaces, WhatIsMeantIsNotToldOfButItsOrdersAreExplored) {
  RacingPlaces places({}, "", {});
  EXPECT_TRUE(places.take_new(with({race(1, 2, RaceFlags::Benign)}), false, {}).empty());
  EXPECT_EQ(places.points().size(), 2u);
}

// Where one frees what the other uses, both orders come. The same places may race where nothing orders them.
TEST(RacingPlaces, APairThatIsOrderedSomewhereMayRaceElsewhere) {
  for (const unsigned first : {unsigned{RaceFlags::Ordered}, 0u}) {
    RacingPlaces places({}, "", {});
    EXPECT_EQ(places.take_new(with({race(1, 2, first)}), false, {}).size(), 1u);
    EXPECT_EQ(places.take_new(with({race(1, 2, RaceFlags::Ordered ^ first)}), false, {}).size(), 1u);
    EXPECT_EQ(places.points().size(), 2u);
    EXPECT_TRUE(places.take_new(with({race(1, 2, first)}), false, {}).empty());
  }
}

TEST(RacingPlaces, WhatIsForgottenIsNewAgain) {
  const std::vector<CodePlace> points{{{}, 9}};
  RacingPlaces places(points, "", {});
  places.take_new(with({race(1, 2)}), false, {});
  places.forget(points);
  EXPECT_FALSE(places.has_more_than(points));
  EXPECT_EQ(places.take_new(with({race(1, 2)}), false, {}).size(), 1u);
}

TEST(RacingPlaces, APlaceWithoutAFileIsNoneInAnotherProcess) {
  RacingPlaces places({}, "", {});
  EXPECT_EQ(places.take_new(with({race(1, 2)}), true, {}).size(), 1u);
  EXPECT_TRUE(places.points().empty());
  EXPECT_NE(places.orders_missed(), "");
}

TEST(RacingPlaces, ThereAreNotPointsWithoutEnd) {
  RacingPlaces places({}, "", {});
  for (Site site = 1; places.orders_missed().empty() && site < 1'000'000; site += 2)
    places.take_new(with({race(site, site + 1)}), false, {});
  EXPECT_NE(places.orders_missed(), "");
  const std::size_t most = places.points().size();
  places.take_new(with({race(2'000'000, 2'000'001)}), false, {});
  EXPECT_EQ(places.points().size(), most);
}

}  // namespace
}  // namespace heddle::test
