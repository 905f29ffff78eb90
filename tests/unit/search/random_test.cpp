// Random search and the registry.
#include <gtest/gtest.h>

#include <bit>
#include <set>

#include "search/registry.h"
#include "search/strategies.h"
#include "search/walks.h"

namespace heddle::test {
namespace {

std::uint64_t seed_of(const Plan& plan) { return policy_item<PolicyKind::Random>(plan, 0).seed; }

TEST(RandomSearch, SameSeedSamePlans) {
  const auto one = random_search(7), same = random_search(7), other = random_search(8);
  std::set<std::uint64_t> seeds;
  for (int i = 0; i < 1000; ++i) {
    const Plan plan = std::get<Plan>(one->next());
    EXPECT_EQ(policy_items<PolicyKind::Random>(plan), 1u);
    EXPECT_EQ(seed_of(plan), seed_of(std::get<Plan>(same->next())));
    EXPECT_NE(seed_of(plan), seed_of(std::get<Plan>(other->next())));
    EXPECT_TRUE(seeds.insert(seed_of(plan)).second);
  }
}

TEST(RandomSearch, SeedsOfNeighboursHaveNothingInCommon) {
  int flipped = 0;
  for (std::uint64_t n = 0; n < 1000; ++n) {
    flipped += std::popcount(mix_seed(1, n) ^ mix_seed(1, n + 1));
    flipped += std::popcount(mix_seed(n, 1) ^ mix_seed(n + 1, 1));
  }
  EXPECT_NEAR(flipped / 2000.0, 32, 1);
}

TEST(RandomSearch, PromisesNothing) {
  const auto search = random_search(1);
  const Plan plan = std::get<Plan>(search->next());
  EXPECT_EQ(search->coverage().pending, 1u);
  Execution execution;
  execution.plan = plan.id;
  execution.end.end = EndKind::Exited;
  search->learn(execution);
  EXPECT_EQ(search->coverage().pending, 0u);
  EXPECT_FALSE(search->coverage().complete);
  EXPECT_EQ(search->coverage().bound_proved, -1);
}

TEST(Registry, KnowsTheStrategiesByName) {
  ASSERT_NE(find_strategy("bounded"), nullptr);
  ASSERT_NE(find_strategy("random"), nullptr);
  EXPECT_EQ(find_strategy("best"), nullptr);
  EXPECT_EQ(find_strategy("bounded")->promise.bounds, "preemption");
  EXPECT_EQ(find_strategy("random")->promise.bounds, "");
  for (const StrategyEntry& entry : strategies()) EXPECT_NE(entry.make(entry, {}), nullptr);
}

TEST(Registry, PassesTheBoundOn) {
  const StrategyEntry& entry = *find_strategy("bounded");
  const auto strategy = entry.make(entry, {.seed = 1, .own = {{"--max-preemptions", "0"}}});
  EXPECT_TRUE(std::holds_alternative<Plan>(strategy->next()));
}

}  // namespace
}  // namespace heddle::test
