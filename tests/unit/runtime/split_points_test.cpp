// Partings of random sequences of plans, against a plain search.
#include "runtime/ring/split_points.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <random>
#include <vector>

namespace heddle::runtime {
namespace {

using Pairs = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

Pairs found(const SplitPoints& split_points, std::uint32_t beyond) {
  std::vector<SplitPoint> all(SplitPoints::kCapacity);
  const unsigned count = split_points.find(beyond, all.data(), SplitPoints::kCapacity);
  Pairs result;
  for (unsigned i = 0; i < count; ++i) result.emplace_back(all[i].step, all[i].uses);
  return result;
}

Pairs expected(const std::deque<std::uint32_t>& common, std::uint32_t beyond) {
  Pairs result;
  std::uint32_t least = UINT32_MAX;
  for (std::size_t i = 0; i < common.size() && common[i] > beyond; ++i) {
    if (common[i] < least) result.emplace_back(common[i], 0);
    least = std::min(least, common[i]);
    if (!result.empty()) ++result.back().second;
  }
  return result;
}

TEST(SplitPoints, AreThoseOfAPlainSearch) {
  std::mt19937 random(1);
  for (const std::uint32_t depth : {3u, 30u, 2000u}) {
    SplitPoints split_points;
    std::deque<std::uint32_t> common;
    for (int round = 0; round < 20'000; ++round) {
      const bool full = common.size() == SplitPoints::kCapacity;
      // Now and then it runs full, or empty.
      const unsigned pushes = round % 1000 < 400 ? 2 : round % 1000 < 900 ? 1 : 0;
      if (!full && random() % 2 < pushes) {
        const auto steps = static_cast<std::uint32_t>(random() % 50 == 0 ? UINT32_MAX : random() % depth);
        split_points.push(steps);
        common.push_back(steps);
      }
      if (!common.empty() && random() % 2 == 0) {
        split_points.pop();
        common.pop_front();
      }
      if (random() % 5000 == 0) {
        split_points.clear();
        common.clear();
      }
      ASSERT_EQ(split_points.size(), common.size());
      if (!common.empty()) {
        ASSERT_EQ(split_points.first(), common.front());
      }
      const auto beyond = static_cast<std::uint32_t>(random() % depth);
      ASSERT_EQ(found(split_points, beyond), expected(common, beyond));
      ASSERT_EQ(found(split_points, 0), expected(common, 0));
    }
  }
}

TEST(SplitPoints, AsManyAsThereIsRoomFor) {
  SplitPoints split_points;
  for (std::uint32_t steps = 9; steps > 0; --steps) split_points.push(steps);
  SplitPoint three[3];
  ASSERT_EQ(split_points.find(0, three, 3), 3u);
  EXPECT_EQ(three[0].step, 9u);
  EXPECT_EQ(three[2].step, 7u);
  EXPECT_EQ(three[2].uses, 1u);
}

}  // namespace
}  // namespace heddle::runtime
