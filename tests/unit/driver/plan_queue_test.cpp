// The ring of plans against a std::deque.
#include "driver/execute/plan_queue.h"

#include <gtest/gtest.h>

#include <deque>
#include <random>

namespace heddle::test {
namespace {

Plan plan_of(PlanId id) {
  Plan plan;
  plan.id = id;
  plan.deltas.push_back({static_cast<std::uint32_t>(id), {}});
  return plan;
}

TEST(PlanQueue, IsAQueue) {
  std::mt19937_64 draw(1);
  PlanQueue queue;
  std::deque<PlanId> expected;
  PlanId next = 1;
  for (unsigned round = 0; round < 5000; ++round) {
    const bool grows = round % 1000 < 500;
    if (draw() % 3 != (grows ? 0u : 1u) && (grows || expected.empty() || draw() % 2 == 0)) {
      queue.push_back(plan_of(next));
      expected.push_back(next++);
    } else if (!expected.empty()) {
      ASSERT_EQ(queue.front().deltas.at(0).step, expected.front());
      queue.pop_front();
      expected.pop_front();
    }
    ASSERT_EQ(queue.size(), expected.size());
    ASSERT_EQ(queue.empty(), expected.empty());
    if (expected.empty()) continue;
    const std::size_t index = draw() % expected.size();
    ASSERT_EQ(queue[index].id, expected[index]);
    ASSERT_EQ(queue.find(expected[index]), index);
  }
  EXPECT_EQ(queue.find(next), queue.size());
}

TEST(PlanQueue, GivesAllInTheirOrder) {
  PlanQueue queue;
  for (PlanId id = 1; id <= 20; ++id) queue.push_back(plan_of(id));
  for (unsigned i = 0; i < 7; ++i) queue.pop_front();
  for (PlanId id = 21; id <= 30; ++id) queue.push_back(plan_of(id));
  const std::vector<Plan> plans = queue.take_all();
  ASSERT_EQ(plans.size(), 23u);
  for (std::size_t i = 0; i < plans.size(); ++i) EXPECT_EQ(plans[i].id, i + 8);
  EXPECT_TRUE(queue.empty());
  queue.push_back(plan_of(31));
  EXPECT_EQ(queue.front().id, 31u);
}

}  // namespace
}  // namespace heddle::test
