// Searches that are interrupted, saved, and gone on with by another strategy object: the same executions in the same
// order as without.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <random>

#include "search/bounded.h"
#include "search/dpor.h"
#include "search/pretend_target.h"
#include "search/registry.h"
#include "search/seeds.h"
#include "search/strategies.h"

namespace heddle::test {
namespace {

using Make = std::function<std::unique_ptr<Strategy>()>;

std::string saved(const Strategy& strategy) {
  StateWriter writer;
  strategy.save(writer);
  return writer.written();
}

std::unique_ptr<Strategy> restored(const Make& make, const std::string& state) {
  std::unique_ptr<Strategy> strategy = make();
  StateReader reader(state);
  EXPECT_TRUE(strategy->restore(reader));
  EXPECT_TRUE(reader.at_end());
  return strategy;
}

struct Searched {
  std::vector<std::string> learned;  // schedules, in order; but for those that ended asleep
  Coverage coverage;
  unsigned interruptions = 0;
};

struct Manner {
  std::size_t ahead = 1;          // plans outstanding
  unsigned interrupt_one_in = 0;  // 0: never; else after so many executions on average
  std::uint64_t seed = 1;         // of when
  bool shuffle = false;           // results come back in any order
  std::size_t most = 3000;        // executions
};

// Runs it to its end. Whoever goes on knows nothing but what was saved: what was outstanding is gone.
Searched search(const Program& program, const Make& make, const Manner& manner) {
  std::unique_ptr<Strategy> strategy = make();
  std::mt19937_64 draw(manner.seed);
  std::deque<Execution> outstanding;
  Searched result;
  while (result.learned.size() < manner.most) {
    if (manner.interrupt_one_in != 0 && draw() % manner.interrupt_one_in == 0) {
      strategy = restored(make, saved(*strategy));
      outstanding.clear();
      ++result.interruptions;
    }
    Next next = strategy->next();
    if (auto* plan = std::get_if<Plan>(&next)) {
      outstanding.push_back(execute(program, *plan));
      if (outstanding.size() < manner.ahead) continue;
    } else if (std::holds_alternative<Exhausted>(next)) {
      break;
    }
    if (manner.shuffle) std::swap(outstanding.front(), outstanding[draw() % outstanding.size()]);
    if (outstanding.front().end.end != EndKind::Asleep)
      result.learned.push_back(text(schedule_of(outstanding.front())));
    strategy->learn(outstanding.front());
    outstanding.pop_front();
  }
  result.coverage = strategy->coverage();
  return result;
}

void expect_equal(const Coverage& one, const Coverage& other) {
  EXPECT_EQ(one.complete, other.complete);
  EXPECT_EQ(one.up_to_equivalence, other.up_to_equivalence);
  EXPECT_EQ(one.early_ends, other.early_ends);
  EXPECT_EQ(one.memory_decides, other.memory_decides);
  EXPECT_EQ(one.bound_proved, other.bound_proved);
  EXPECT_EQ(one.schedules_at_bound, other.schedules_at_bound);
  EXPECT_EQ(one.lost, other.lost);
  EXPECT_EQ(one.pending, other.pending);
}

struct Case {
  const char* name;
  Make (*make)(const Program& program);
};

Make bounded_with(BoundedSearch::Options options) {
  return [options] { return std::make_unique<BoundedSearch>(options); };
}

const Case kCases[] = {
    {"bounded_all", [](const Program&) { return bounded_with({.max_preemptions = 2}); }},
    {"bounded_both",
     [](const Program&) { return bounded_with({.max_preemptions = 2, .reduce = true, .reduce_preemptions = true}); }},
    {"bounded_states", [](const Program&) { return bounded_with({.max_preemptions = 2, .reduce = true}); }},
    {"bounded_revisits", [](const Program&) { return bounded_with({.max_preemptions = 2, .eager_nodes = 0}); }},
    {"dpor",
     [](const Program& program) -> Make {
       const bool early = program.limits.early_timeouts();
       return [early] { return std::make_unique<DporSearch>(early); };
     }},
    {"delay",
     [](const Program&) -> Make {
       return [] {
         const StrategyEntry& entry = *find_strategy("delay");
         return entry.make(entry, {.own = {{"--max-delays", "3"}}});
       };
     }},
    {"auto",
     [](const Program& program) -> Make {
       const bool early = program.limits.early_timeouts();
       return [early] { return strategy_named("auto", {.seed = 7, .early_timeouts = early}); };
     }},
    {"random", [](const Program&) -> Make { return [] { return random_search(7); }; }},
};

class Resume : public testing::TestWithParam<Case> {};

TEST_P(Resume, TheSameExecutionsInTheSameOrder) {
  std::size_t interruptions = 0, executions = 0;
  const Seeds range = seeds(400);
  for (std::uint64_t seed = range.first; seed < range.end && !HasFailure(); ++seed) {
    const Program program = random_program(seed);
    const Make make = GetParam().make(program);
    const std::size_t ahead = 1 + seed % 5;
    const Searched whole = search(program, make, {.ahead = ahead, .most = 300});
    const Searched parts =
        search(program, make,
               {.ahead = ahead, .interrupt_one_in = static_cast<unsigned>(3 + seed % 17), .seed = seed, .most = 300});
    EXPECT_EQ(parts.learned, whole.learned) << "seed " << seed << ": " << program.text();
    if (whole.learned.size() < 300) expect_equal(parts.coverage, whole.coverage);
    interruptions += parts.interruptions;
    executions += whole.learned.size();
  }
  EXPECT_TRUE(interruptions > 200 || range.fuzzing) << interruptions << " in " << executions << " executions";
}

// By cost, what was out comes again when its rank's turn comes: the same schedules, each once, in another order.
TEST(ResumeByCost, TheSameExecutions) {
  std::size_t interruptions = 0;
  const Seeds range = seeds(200);
  for (std::uint64_t seed = range.first; seed < range.end && !testing::Test::HasFailure(); ++seed) {
    const Program program = random_program(seed);
    const bool revisits = seed % 2 == 0;
    const Make make = bounded_with({.max_preemptions = 2,
                                    .eager_nodes = revisits ? 0u : 1u << 20,
                                    .priorities = revisits ? "rand" : "ss,mdpor,rand"});
    const std::size_t ahead = 1 + seed % 5;
    Searched whole = search(program, make, {.ahead = ahead});
    Searched parts =
        search(program, make, {.ahead = ahead, .interrupt_one_in = static_cast<unsigned>(3 + seed % 17), .seed = seed});
    if (whole.learned.size() == 3000) continue;
    std::sort(whole.learned.begin(), whole.learned.end());
    std::sort(parts.learned.begin(), parts.learned.end());
    EXPECT_EQ(parts.learned, whole.learned) << "seed " << seed << ": " << program.text();
    expect_equal(parts.coverage, whole.coverage);
    interruptions += parts.interruptions;
  }
  EXPECT_TRUE(interruptions > 200 || range.fuzzing) << interruptions;
}

// Larger ones: three tasks with two sections each of one lock, which have 90 classes.
TEST_P(Resume, SectionsOfOneLock) {
  std::vector<Call> calls;
  for (const OperationKind kind :
       {OperationKind::MutexLock, OperationKind::MutexUnlock, OperationKind::MutexLock, OperationKind::MutexUnlock})
    calls.push_back({kind, 0});
  const Program program{{calls, calls, calls}, {}};
  const Make make = GetParam().make(program);
  const Searched whole = search(program, make, {.most = 1000});
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Searched parts = search(program, make, {.interrupt_one_in = 7, .seed = seed, .most = 1000});
    EXPECT_EQ(parts.learned, whole.learned);
    EXPECT_GT(parts.interruptions, 5u);
  }
}

// A few bytes less are noticed at every place, whatever they belong to.
TEST_P(Resume, WhatIsCutOffIsRefused) {
  const Program program = random_program(11);
  const Make make = GetParam().make(program);
  std::unique_ptr<Strategy> strategy = make();
  for (int i = 0; i < 20; ++i) {
    Next next = strategy->next();
    if (auto* plan = std::get_if<Plan>(&next)) strategy->learn(execute(program, *plan));
  }
  const std::string state = saved(*strategy);
  const std::size_t stride = 1 + state.size() / 200;
  for (std::size_t size = 0; size < state.size(); size += stride) {
    StateReader reader(std::string_view(state).substr(0, size));
    EXPECT_FALSE(make()->restore(reader)) << size << " of " << state.size();
  }
}

INSTANTIATE_TEST_SUITE_P(Strategies, Resume, testing::ValuesIn(kCases),
                         [](const auto& info) { return std::string(info.param.name); });

// Several workers: results come back in any order. Each schedule once all the same, and none is missing.
TEST(ResumeOutOfOrder, EveryScheduleOnce) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const Program program = random_program(seed);
    const auto expected = enumerate(program, 2, 400);
    if (expected.empty()) continue;
    Searched found = search(program, bounded_with({.max_preemptions = 2}),
                            {.ahead = 16, .interrupt_one_in = 20, .seed = seed, .shuffle = true});
    std::sort(found.learned.begin(), found.learned.end());
    ASSERT_EQ(found.learned.size(), expected.size()) << program.text();
    EXPECT_TRUE(std::equal(found.learned.begin(), found.learned.end(), expected.begin(),
                           [](const std::string& one, const auto& other) { return one == other.first; }));
  }
}

// So does partial-order reduction: what is found late is inserted into branches that were begun before the
// interruption.
TEST(ResumeOutOfOrder, EveryClassOnce) {
  std::size_t interruptions = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const Program program = mixed_program(seed);
    const Make make = [&] { return std::make_unique<DporSearch>(program.limits.early_timeouts()); };
    Searched whole = search(program, make, {});
    if (whole.learned.size() >= 3000) continue;
    const Searched found = search(program, make, {.ahead = 24, .interrupt_one_in = 9, .seed = seed, .shuffle = true});
    EXPECT_EQ(found.learned.size(), whole.learned.size()) << "seed " << seed << ": " << program.text();
    expect_equal(found.coverage, whole.coverage);
    interruptions += found.interruptions;
  }
  EXPECT_GT(interruptions, 200u);
}

TEST(ResumeOutOfOrder, RandomSchedulesOnceEach) {
  const std::unique_ptr<Strategy> one = random_search(3), other = random_search(3);
  Strategy &search = *one, &after = *other;
  std::set<std::uint64_t> seeds;
  Execution execution;
  std::string state;
  for (int i = 0; i < 100; ++i) {
    const Plan plan = std::get<Plan>(search.next());
    if (i % 3 == 0) continue;  // 34 are outstanding
    seeds.insert(policy_item<PolicyKind::Random>(plan, 0).seed);
    execution.plan = plan.id;
    search.learn(execution);
  }
  StateReader reader(state = saved(search));
  ASSERT_TRUE(after.restore(reader));
  EXPECT_EQ(after.coverage().pending, 34u);
  for (int i = 0; i < 134; ++i)
    EXPECT_TRUE(seeds.insert(policy_item<PolicyKind::Random>(std::get<Plan>(after.next()), 0).seed).second);
}

}  // namespace
}  // namespace heddle::test
