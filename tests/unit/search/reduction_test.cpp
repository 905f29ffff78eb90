// The bounded search that leaves out equivalent schedules against the one that runs them all: the same happens-before
// graphs, each with as few preemptions, and the same ends.
#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <random>
#include <set>
#include <tuple>

#include "analysis/happens_before.h"
#include "search/bounded.h"
#include "search/pretend_target.h"
#include "search/seeds.h"

namespace heddle::test {
namespace {

constexpr unsigned kUnbounded = BoundedSearch::kNoBound;
constexpr OperationKind kLock = OperationKind::MutexLock, kUnlock = OperationKind::MutexUnlock;

using Class = std::tuple<std::uint64_t, std::uint64_t, EndKind>;

struct Searched {
  std::map<Class, unsigned> classes;  // with the least preemptions
  std::map<Class, std::string> schedules;
  std::size_t executions = 0;
  Coverage coverage;
  std::string note;
};

struct Way {
  std::size_t ahead = 1;
  std::uint64_t shuffle = 0;
};

Searched search(const Program& program, const BoundedSearch::Options& options, const Way& way = {},
                std::size_t most = 1'000'000) {
  BoundedSearch strategy(options);
  std::mt19937_64 draw(way.shuffle);
  std::deque<Execution> outstanding;
  Searched result;
  while (result.executions <= most) {
    Next next = strategy.next();
    if (auto* plan = std::get_if<Plan>(&next)) {
      outstanding.push_back(execute(program, *plan));
      ++result.executions;
      if (outstanding.size() < way.ahead) continue;
    } else if (std::holds_alternative<Exhausted>(next)) {
      break;
    }
    if (way.shuffle != 0) std::swap(outstanding.front(), outstanding[draw() % outstanding.size()]);
    const Execution execution = std::move(outstanding.front());
    outstanding.pop_front();
    const auto hash = HappensBefore().hash(execution);
    const Class graph{hash->a, hash->b, execution.end.end};
    const unsigned preemptions = execution.end.preemptions;
    const auto known = result.classes.emplace(graph, preemptions).first;
    known->second = std::min(known->second, preemptions);
    result.schedules.emplace(graph, text(schedule_of(execution)));
    strategy.learn(execution);
    if (result.note.empty()) result.note = strategy.take_note();
  }
  result.coverage = strategy.coverage();
  return result;
}

void expect_same(const Program& program, const Searched& all, const Searched& reduced, const std::string& what) {
  EXPECT_EQ(reduced.note, "") << what << program.text();
  // What a bound cuts off may be equivalent to what was run: then the reduced search says more.
  EXPECT_TRUE(reduced.coverage.complete || !all.coverage.complete) << what << program.text();
  if (!reduced.coverage.complete) {
    EXPECT_EQ(reduced.coverage.preemption_bound_proved, all.coverage.preemption_bound_proved) << what << program.text();
  }
  if (reduced.classes == all.classes) return;
  ADD_FAILURE() << what << program.text() << ": " << all.classes.size() << " classes expected, "
                << reduced.classes.size() << " run";
  for (const auto& [graph, preemptions] : all.classes) {
    const auto found = reduced.classes.find(graph);
    if (found != reduced.classes.end() && found->second == preemptions) continue;
    ADD_FAILURE() << "for example: " << all.schedules.at(graph) << "needs " << preemptions << " preemptions, "
                  << (found == reduced.classes.end() ? "not found" : std::to_string(found->second) + " found");
    return;
  }
}

class RandomReduction : public testing::TestWithParam<unsigned> {};

TEST_P(RandomReduction, FindsEveryClassWithAsFewPreemptions) {
  std::size_t all_run = 0, reduced_run = 0, compared = 0;
  const Seeds range = seeds(300);
  for (std::uint64_t seed = range.first; seed < range.end && !HasFailure(); ++seed) {
    const Program program = random_program(seed);
    const Searched all = search(program, {.max_preemptions = GetParam()}, {}, 3'000);
    if (all.executions > 3'000) continue;
    const Searched reduced = search(program, {.max_preemptions = GetParam(), .reduce = true});
    expect_same(program, all, reduced, "seed " + std::to_string(seed) + ": ");
    const Searched shuffled = search(program, {.max_preemptions = GetParam(), .reduce = true}, {8, seed});
    expect_same(program, all, shuffled, "shuffled, seed " + std::to_string(seed) + ": ");
    if (reduced.coverage.complete && !all.coverage.complete) {
      const Searched whole = search(program, {.max_preemptions = kUnbounded}, {}, 20'000);
      if (whole.executions <= 20'000) {
        EXPECT_EQ(whole.classes.size(), reduced.classes.size()) << program.text();
      }
    }
    all_run += all.executions;
    reduced_run += reduced.executions;
    ++compared;
  }
  if (range.fuzzing) return;
  EXPECT_GT(compared, 100u);
  EXPECT_LT(reduced_run, all_run);
}

// What was noted of a state in which a task is not preempted would hide what another one can do from there.
TEST_P(RandomReduction, FindsEveryClassWhereThreadsAreNotPreempted) {
  std::size_t compared = 0;
  const Seeds range = seeds(600);
  for (std::uint64_t seed = range.first; seed < range.end && !HasFailure(); ++seed) {
    const Program program = with_scopes(random_program(seed), seed, seed % 2 == 0);
    const auto unpreemptible = [](Site site) { return site == kUnpreemptibleSite; };
    const BoundedSearch::Options options{.max_preemptions = GetParam(), .no_preempt = unpreemptible};
    BoundedSearch::Options reducing = options;
    reducing.reduce = true;
    const Searched all = search(program, options, {}, 3'000);
    if (all.executions > 3'000) continue;
    expect_same(program, all, search(program, reducing), "seed " + std::to_string(seed) + ": ");
    expect_same(program, all, search(program, reducing, {8, seed}), "shuffled, seed " + std::to_string(seed) + ": ");
    ++compared;
  }
  if (!range.fuzzing) {
    EXPECT_GT(compared, 200u);
  }
}

INSTANTIATE_TEST_SUITE_P(Bounds, RandomReduction, testing::Values(0u, 1u, 2u, 3u, kUnbounded));

// Tasks that mostly yield: here fairness decides who may go on.
Program yielding_program(std::uint64_t seed) {
  std::mt19937_64 draw(seed);
  Program program;
  program.tasks.resize(2 + draw() % 2);
  for (auto& calls : program.tasks) {
    for (auto count = 2 + draw() % 3; count > 0; --count) {
      const auto object = static_cast<unsigned>(draw() % 2);
      if (draw() % 3 != 0) calls.push_back({OperationKind::Yield});
      if (draw() % 4 == 0) calls.push_back({OperationKind::SemaphorePost, object});
      if (draw() % 6 == 0) calls.push_back({OperationKind::SemaphoreWait, object, 0, draw() % 2 == 0 ? 10 : 20});
      if (draw() % 4 == 0) calls.insert(calls.end(), {{kLock, object}, {kUnlock, object}});
    }
  }
  return program;
}

TEST(Reduction, KnowsWhatFairnessRemembers) {
  std::size_t compared = 0, held_back = 0;
  const Seeds range = seeds(300);
  for (std::uint64_t seed = range.first; seed < range.end && !HasFailure(); ++seed) {
    const Program program = yielding_program(seed);
    Program unfair = program;
    unfair.limits.fair = false;
    const Searched all = search(program, {.max_preemptions = 2}, {}, 1'000);
    if (all.executions > 1'000) continue;
    held_back += search(unfair, {.max_preemptions = 2}, {}, 1'000).executions != all.executions ? 1 : 0;
    expect_same(program, all, search(program, {.max_preemptions = 2, .reduce = true}), std::to_string(seed) + ": ");
    ++compared;
  }
  if (range.fuzzing) return;
  EXPECT_GT(compared, 150u);
  EXPECT_GT(held_back, 30u);
}

Program sections(unsigned tasks, unsigned count) {
  Program program;
  program.tasks.resize(tasks);
  for (auto& calls : program.tasks)
    for (unsigned i = 0; i < count; ++i) calls.insert(calls.end(), {{kLock, 0}, {kUnlock, 0}});
  return program;
}

// The smallest program that loses a class when states are told apart without who ran last: tasks [Wx Wy] and [Wy Ry],
// bound 1. (An empty task comes first, so that either may begin at no cost. The ends of tasks are left out of the
// graphs: the last one depends on everything.)
TEST(Reduction, TheProgramOfTheDesignHasThreeClasses) {
  constexpr OperationKind kWrite = OperationKind::SemaphorePost, kRead = OperationKind::SemaphoreGetValue;
  const Program program{{{}, {{kWrite, 0}, {kWrite, 1}}, {{kWrite, 1}, {kRead, 1}}}, {}};
  BoundedSearch strategy({.max_preemptions = 1, .reduce = true});
  std::set<std::pair<std::uint64_t, std::uint64_t>> classes;
  for (;;) {
    Next next = strategy.next();
    if (!std::holds_alternative<Plan>(next)) break;
    Execution execution = execute(program, std::get<Plan>(next));
    strategy.learn(execution);
    std::erase_if(execution.steps,
                  [](const StepRecord& step) { return object_kind(step.operation) != ObjectKind::Semaphore; });
    const auto hash = HappensBefore().hash(execution);
    classes.insert({hash->a, hash->b});
  }
  EXPECT_EQ(classes.size(), 3u);
  const Searched all = search(program, {.max_preemptions = 1}),
                 reduced = search(program, {.max_preemptions = 1, .reduce = true});
  expect_same(program, all, reduced, "");
}

TEST(Reduction, SectionsOfOneLock) {
  struct Case {
    unsigned tasks, count, classes, executions;
  };
  for (const auto& [tasks, count, classes, executions] :
       {Case{2, 2, 6, 28}, Case{3, 2, 90, 1'045}, Case{3, 3, 1'680, 20'052}}) {
    const Searched reduced = search(sections(tasks, count), {.reduce = true});
    EXPECT_EQ(reduced.classes.size(), classes);
    EXPECT_TRUE(reduced.coverage.complete);
    EXPECT_EQ(reduced.executions, executions);
  }
}

}  // namespace
}  // namespace heddle::test
