// Schedules near a known one: the nearest first, each once, and none that can't be.
#include "driver/explore/nearby.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace heddle {
namespace {

using Steps = std::vector<std::uint32_t>;

std::vector<Steps> all_near(const Steps& steps, std::uint32_t length) {
  Deltas deltas;
  for (const std::uint32_t step : steps) deltas.push_back({step, {1, 0}});
  Nearby nearby(deltas, length);
  std::vector<Steps> result;
  while (auto next = nearby.next()) {
    result.emplace_back();
    for (const Delta& delta : *next) result.back().push_back(delta.step);
  }
  return result;
}

TEST(Nearby, OneDelta) { EXPECT_EQ(all_near({2}, 5), (std::vector<Steps>{{3}, {1}, {4}, {0}})); }

TEST(Nearby, NoDelta) { EXPECT_TRUE(all_near({}, 5).empty()); }

TEST(Nearby, TwoDeltas) {
  const std::vector<Steps> found = all_near({3, 6}, 9);
  EXPECT_EQ(found.front(), (Steps{4, 7}));  // the second thread runs as long as before
  for (const Steps& steps : found) EXPECT_TRUE(steps[0] < steps[1] && steps[1] < 9);
  EXPECT_EQ(std::set<Steps>(found.begin(), found.end()).size(), found.size());
  EXPECT_EQ(found.size(), 9u * 8 / 2 - 1);  // all but the known one
}

}  // namespace
}  // namespace heddle
