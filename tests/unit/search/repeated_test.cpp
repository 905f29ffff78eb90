// The same search several times over: each time every schedule, and no waiting as long as another one can begin.
#include "search/repeated.h"

#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <set>
#include <string>

#include "search/pretend_target.h"
#include "search/registry.h"

namespace heddle::test {
namespace {

struct Searched {
  std::map<std::string, unsigned> schedules;  // how often each was learned
  std::size_t waited = 0;                     // for results, with fewer plans out than there may be
  Coverage coverage;
};

Searched search(const Program& program, Strategy& strategy, std::size_t ahead) {
  Searched result;
  std::deque<Execution> outstanding;
  std::set<PlanId> plans;
  for (;;) {
    Next next = strategy.next();
    if (std::holds_alternative<Exhausted>(next)) break;
    if (auto* plan = std::get_if<Plan>(&next)) {
      EXPECT_TRUE(plans.insert(plan->id).second) << "two plans have number " << plan->id;
      outstanding.push_back(execute(program, *plan));
      if (outstanding.size() < ahead) continue;
    } else {
      ++result.waited;
    }
    ++result.schedules[text(schedule_of(outstanding.front()))];
    strategy.learn(outstanding.front());
    outstanding.pop_front();
  }
  EXPECT_TRUE(outstanding.empty());
  result.coverage = strategy.coverage();
  return result;
}

TEST(RepeatedSearch, EverySearchIsMadeToItsEnd) {
  for (const char* name : {"bounded", "dpor"}) {
    for (std::uint64_t seed = 1; seed < 60 && !HasFailure(); ++seed) {
      const Program program = random_program(seed);
      const StrategyOptions options{.max_preemptions = 1,
                                    .early_timeouts = program.limits.early_timeouts,
                                    .reduce_states = seed % 2 == 0,
                                    .reduce_preemptions = seed % 4 == 0};
      const StrategyEntry& entry = *find_strategy(name);
      // What is left out may depend on which results are there; one plan at a time is the same for all.
      const Searched once = search(program, *entry.make(options), 1);
      const Searched times = search(program, *make_repeated(entry, options, 5), 1);
      EXPECT_EQ(times.schedules.size(), once.schedules.size());
      for (const auto& [schedule, count] : times.schedules)
        EXPECT_EQ(count, 5 * once.schedules.at(schedule)) << schedule;
      EXPECT_EQ(times.coverage.preemption_bound_proved, once.coverage.preemption_bound_proved);
      EXPECT_EQ(times.coverage.complete, once.coverage.complete);
      EXPECT_EQ(times.coverage.schedules_at_bound, once.coverage.schedules_at_bound);
    }
  }
}

// Three tasks with two sections each of one lock: some fifty schedules with a preemption.
TEST(RepeatedSearch, WaitsLessThanTheSearchesOneByOne) {
  std::vector<Call> calls;
  for (const OperationKind kind :
       {OperationKind::MutexLock, OperationKind::MutexUnlock, OperationKind::MutexLock, OperationKind::MutexUnlock})
    calls.push_back({kind, 0});
  const Program program{{calls, calls, calls}, {}};
  constexpr unsigned kTimes = 40;
  const StrategyOptions options{.max_preemptions = 1, .reduce_states = false, .reduce_preemptions = false};
  const StrategyEntry& entry = *find_strategy("bounded");
  const Searched once = search(program, *entry.make(options), 16);
  const Searched times = search(program, *make_repeated(entry, options, kTimes), 16);
  for (const auto& [schedule, count] : once.schedules) EXPECT_EQ(times.schedules.at(schedule), kTimes * count);
  EXPECT_GT(once.waited, 10u);
  EXPECT_LT(times.waited, kTimes * once.waited / 4);
}

TEST(RepeatedSearch, ReductionsAreWatchedInTheFirst) {
  const StrategyEntry& entry = *find_strategy("bounded");
  const auto strategy = make_repeated(entry, {.max_preemptions = 0}, 2);
  const Program program{{{{OperationKind::Yield}}}, {}};
  ASSERT_TRUE(strategy->reduces());
  strategy->learn(execute(program, std::get<Plan>(strategy->next())));
  const Next next = strategy->next();
  ASSERT_TRUE(std::holds_alternative<Plan>(next));
  EXPECT_FALSE(strategy->reduces());
}

}  // namespace
}  // namespace heddle::test
