// The bounded search that prunes equivalent schedules against the one that runs them all: the same happens-before
// graphs, each with as few preemptions, and the same ends.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <random>
#include <set>
#include <tuple>

#include "analysis/happens_before.h"
#include "protocol/time_slice.h"
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
  std::size_t hashes_known = 0;  // to the search itself
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
    const auto [known, is_new] = result.classes.emplace(graph, preemptions);
    known->second = std::min(known->second, preemptions);
    if (is_new) result.schedules.emplace(graph, text(schedule_of(execution)));
    strategy.learn(execution);
    const auto own = strategy.hash_of_last();
    EXPECT_TRUE(!own || *own == *hash) << program.text();
    result.hashes_known += own ? 1 : 0;
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
    EXPECT_EQ(reduced.coverage.bound_proved, all.coverage.bound_proved) << what << program.text();
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

enum class Leave { States, Preemptions, Both };

BoundedSearch::Options reduced_by(Leave leave, unsigned bound) {
  BoundedSearch::Options options;
  options.max_preemptions = bound;
  options.reduce = leave != Leave::Preemptions;
  options.reduce_preemptions = leave != Leave::States;
  return options;
}

// Task 0 waits for the others, as most programs do: else the end of the process races with everything.
Program joined(Program program) {
  for (unsigned task = 1; task < program.tasks.size(); ++task)
    program.tasks[0].push_back({OperationKind::ThreadJoin, task});
  return program;
}

// Locks of all kinds, taken, tried and read, and semaphores: more than one of each, so that not everything races.
Program locking_program(std::uint64_t seed) {
  std::mt19937_64 draw(seed);
  Program program;
  program.tasks.resize(2 + draw() % 2);
  using K = OperationKind;
  for (auto& calls : program.tasks) {
    for (auto count = 1 + draw() % 3; count > 0; --count) {
      const auto object = static_cast<unsigned>(draw() % 2), other = static_cast<unsigned>(draw() % 2);
      switch (draw() % 10) {
        case 0:
          calls.insert(calls.end(), {{kLock, object}, {kUnlock, object}});
          break;
        case 1:
          calls.insert(calls.end(), {{kLock, 0}, {kLock, 1}, {kUnlock, 1}, {kUnlock, 0}});
          break;
        case 2:
          calls.insert(calls.end(), {{kLock, 1}, {kLock, 0}, {kUnlock, 0}, {kUnlock, 1}});
          break;
        case 3:
          calls.insert(calls.end(), {{K::ReadLock, object}, {K::RwUnlock, object}});
          break;
        case 4:
          calls.insert(calls.end(), {{K::WriteLock, object}, {K::SemaphorePost, other}, {K::RwUnlock, object}});
          break;
        case 5:
          calls.push_back({K::MutexTryLock, object});
          break;
        case 6:
          calls.push_back({K::SemaphoreTryWait, object});
          break;
        case 7:
          calls.push_back({K::SemaphoreGetValue, object});
          break;
        case 8:
          calls.insert(calls.end(), {{K::SpinLock, object}, {K::SemaphorePost, other}, {K::SpinUnlock, object}});
          break;
        case 9:
          calls.push_back({K::SemaphoreWait, object, 0, draw() % 3 == 0 ? Nanoseconds{10} : kNoDeadline});
          break;
      }
    }
  }
  return draw() % 4 != 0 ? joined(program) : program;
}

constexpr Leave kLeaves[] = {Leave::States, Leave::Preemptions, Leave::Both};

// By bound. What is run without a reduction is compared with what each of them leaves.
class RandomReduction : public testing::TestWithParam<unsigned> {
 protected:
  struct Counts {
    std::size_t all = 0, reduced = 0;
  };
  // What the program comes to with all that may be left, and with several plans out, and when the reduction begins
  // late.
  static Searched expect_same_by(Leave leave, unsigned bound, const Program& program, const Searched& all,
                                 std::uint64_t seed) {
    const Searched reduced = search(program, reduced_by(leave, bound));
    expect_same(program, all, reduced, "seed " + std::to_string(seed) + ": ");
    const Searched shuffled = search(program, reduced_by(leave, bound), {8, seed});
    expect_same(program, all, shuffled, "shuffled, seed " + std::to_string(seed) + ": ");
    BoundedSearch::Options later = reduced_by(leave, bound);
    later.made_at_first = 1 + seed % 20;
    expect_same(program, all, search(program, later), "from then on, seed " + std::to_string(seed) + ": ");
    return reduced;
  }
};

TEST_P(RandomReduction, FindsEveryClassWithAsFewPreemptions) {
  const unsigned bound = GetParam();
  std::map<Leave, Counts> run;
  std::size_t compared = 0;
  const Seeds range = seeds(300);
  for (std::uint64_t seed = range.first; seed < range.end && !HasFailure(); ++seed) {
    const Program program = seed % 3 == 0   ? random_program(seed)
                            : seed % 3 == 1 ? joined(random_program(seed))
                                            : locking_program(seed);
    const Searched all = search(program, {.max_preemptions = bound}, {}, 3'000);
    if (all.executions > 3'000) continue;
    for (const Leave leave : kLeaves) {
      const Searched reduced = expect_same_by(leave, bound, program, all, seed);
      if (reduced.coverage.complete && !all.coverage.complete) {
        const Searched whole = search(program, {.max_preemptions = kUnbounded}, {}, 20'000);
        if (whole.executions <= 20'000) {
          EXPECT_EQ(whole.classes.size(), reduced.classes.size()) << program.text();
        }
      }
      run[leave].all += all.executions;
      run[leave].reduced += reduced.executions;
    }
    ++compared;
  }
  if (range.fuzzing) return;
  EXPECT_GT(compared, 100u);
  for (const auto& [leave, counts] : run) {
    if (bound == 0 && leave == Leave::Preemptions) {
      EXPECT_EQ(counts.reduced, counts.all);
    } else {
      EXPECT_LT(counts.reduced, counts.all);
    }
  }
}

// What was noted of a state in which a task is not preempted would hide what another one can do from there.
TEST_P(RandomReduction, FindsEveryClassWhereThreadsAreNotPreempted) {
  const unsigned bound = GetParam();
  std::map<Leave, std::size_t> compared;
  const Seeds range = seeds(600);
  for (std::uint64_t seed = range.first; seed < range.end && !HasFailure(); ++seed) {
    const Program program = with_scopes(random_program(seed), seed, seed % 2 == 0);
    const auto unpreemptible = [](Site site) { return site == kUnpreemptibleSite; };
    const BoundedSearch::Options options{.max_preemptions = bound, .no_preempt = unpreemptible};
    const Searched all = search(program, options, {}, 3'000);
    if (all.executions > 3'000) continue;
    for (const Leave leave : kLeaves) {
      if (leave != Leave::States && !range.fuzzing && seed > 300) continue;
      BoundedSearch::Options reducing = reduced_by(leave, bound);
      reducing.no_preempt = unpreemptible;
      expect_same(program, all, search(program, reducing), "seed " + std::to_string(seed) + ": ");
      expect_same(program, all, search(program, reducing, {8, seed}), "shuffled, seed " + std::to_string(seed) + ": ");
      ++compared[leave];
    }
  }
  for (const Leave leave : kLeaves) EXPECT_TRUE(range.fuzzing || compared[leave] > 100u);
}

// Tasks look at the clock in between, and may be slow there: then what others wait for by a deadline is over, too.
Program with_clock_reads(Program program, std::uint64_t seed) {
  std::mt19937_64 draw(seed);
  for (auto& calls : program.tasks) {
    for (auto count = draw() % 3; count > 0; --count) {
      const auto at = static_cast<std::ptrdiff_t>(draw() % (calls.size() + 1));
      calls.insert(calls.begin() + at,
                   {OperationKind::ClockRead, 0, 0, static_cast<Nanoseconds>(5 + 10 * (draw() % 4))});
    }
  }
  return program;
}

TEST_P(RandomReduction, FindsEveryClassWhereThreadsMayBeSlow) {
  const unsigned bound = GetParam();
  std::size_t compared = 0, slow = 0;
  const Seeds range = seeds(300);
  for (std::uint64_t seed = range.first; seed < range.end && !HasFailure(); ++seed) {
    Program program = seed % 2 == 0 ? joined(random_program(seed)) : locking_program(seed);
    program = with_clock_reads(std::move(program), seed);
    const Searched all = search(program, {.max_preemptions = bound}, {}, 3'000);
    if (all.executions > 3'000) continue;
    for (const Leave leave : kLeaves) {
      expect_same(program, all, search(program, reduced_by(leave, bound)), "seed " + std::to_string(seed) + ": ");
      expect_same(program, all, search(program, reduced_by(leave, bound), {8, seed}),
                  "shuffled, seed " + std::to_string(seed) + ": ");
    }
    ++compared;
    for (const auto& [graph, text] : all.schedules) slow += text.find("t ") != std::string::npos ? 1 : 0;
  }
  if (range.fuzzing) return;
  EXPECT_GT(compared, 100u);
  if (bound > 0) {
    EXPECT_GT(slow, 100u);
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
      if (draw() % 12 == 0) calls.push_back({.argument = kPatientYield});
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
    for (const Leave leave : {Leave::States, Leave::Preemptions, Leave::Both})
      expect_same(program, all, search(program, reduced_by(leave, 2)), std::to_string(seed) + ": ");
    ++compared;
  }
  if (range.fuzzing) return;
  EXPECT_GT(compared, 150u);
  EXPECT_GT(held_back, 30u);
}

// Tasks that poll memory, mostly with yields in between, and one that ends their loops.
Program polling_program(std::uint64_t seed) {
  std::mt19937_64 draw(seed);
  Program program;
  program.tasks.resize(2 + draw() % 2);
  for (auto& calls : program.tasks) {
    for (auto count = 1 + draw() % 2; count > 0; --count) {
      const auto word = static_cast<unsigned>(draw() % 2);
      const std::size_t before = calls.size();
      // Who changes memory in each round never waits: without a yield such a loop takes all steps that there may be.
      const bool yields = draw() % 3 != 0;
      if (yields && draw() % 2 == 0) calls.push_back({.kind = OperationKind::AtomicUpdate, .object = 2, .argument = 1});
      if (draw() % 3 == 0) calls.push_back({OperationKind::AtomicLoad, 1 - word});
      if (yields) calls.push_back({OperationKind::Yield});
      const bool loops = &calls != &program.tasks.back() && draw() % 2 == 0;
      const auto length = static_cast<unsigned>(calls.size() - before) + 1;
      calls.push_back({.kind = OperationKind::AtomicLoad, .object = word, .loop = loops ? length : 0});
    }
  }
  for (const unsigned word : {0u, 1u})
    program.tasks.back().push_back({.kind = OperationKind::AtomicStore, .object = word, .argument = 1});
  return program;
}

TEST(Reduction, SurvivesYieldsInLoopsThatReadMemory) {
  std::size_t compared = 0, all_executions = 0, reduced_executions = 0;
  const Seeds range = seeds(300);
  for (std::uint64_t seed = range.first; seed < range.end && !HasFailure(); ++seed) {
    const Program program = polling_program(seed);
    const Searched all = search(program, {.max_preemptions = 2}, {}, 2'000);
    if (all.executions > 2'000) continue;
    for (const Leave leave : {Leave::States, Leave::Preemptions, Leave::Both}) {
      const Searched reduced = search(program, reduced_by(leave, 2));
      expect_same(program, all, reduced, std::to_string(seed) + ": ");
      if (leave == Leave::Both) reduced_executions += reduced.executions;
    }
    all_executions += all.executions;
    ++compared;
  }
  if (range.fuzzing) return;
  EXPECT_GT(compared, 100u);
  EXPECT_LT(reduced_executions * 2, all_executions);
}

Program sections(unsigned tasks, unsigned count) {
  Program program;
  program.tasks.resize(tasks);
  for (auto& calls : program.tasks)
    for (unsigned i = 0; i < count; ++i) calls.insert(calls.end(), {{kLock, 0}, {kUnlock, 0}});
  return program;
}

// The smallest program that loses a class when states are told apart without who ran last: tasks [Wx Wy] and [Wy Ry],
// bound 1. (An empty task comes first, so that either may begin at no cost. The ends of tasks are pruned of the
// graphs: the last one depends on everything.)
TEST(Reduction, TheProgramOfTheDesignHasThreeClasses) {
  constexpr OperationKind kWrite = OperationKind::SemaphorePost, kRead = OperationKind::SemaphoreGetValue;
  const Program program{{{}, {{kWrite, 0}, {kWrite, 1}}, {{kWrite, 1}, {kRead, 1}}}, {}};
  const Searched all = search(program, {.max_preemptions = 1});
  for (const Leave leave : {Leave::States, Leave::Preemptions, Leave::Both}) {
    BoundedSearch strategy(reduced_by(leave, 1));
    std::set<std::pair<std::uint64_t, std::uint64_t>> classes;
    for (;;) {
      Next next = strategy.next();
      if (!std::holds_alternative<Plan>(next)) break;
      Execution execution = execute(program, std::get<Plan>(next));
      strategy.learn(execution);
      const auto others = std::remove_if(execution.steps.begin(), execution.steps.end(), [](const StepRecord& step) {
        return object_kind(step.operation) != ObjectKind::Semaphore;
      });
      execution.steps.erase(others, execution.steps.end());
      const auto hash = HappensBefore().hash(execution);
      classes.insert({hash->a, hash->b});
    }
    EXPECT_EQ(classes.size(), 3u);
    expect_same(program, all, search(program, reduced_by(leave, 1)), "");
  }
}

TEST(Reduction, SectionsOfOneLock) {
  struct Case {
    unsigned tasks, count, classes, by_states, by_preemptions, by_both;
  };
  for (const Case& one :
       {Case{2, 2, 6, 14, 6, 9}, Case{3, 2, 90, 699, 126, 136}, Case{3, 3, 1'680, 13'410, 2'400, 2'445}}) {
    const Program program = joined(sections(one.tasks, one.count));
    for (const auto& [leave, executions] :
         {std::pair(Leave::States, one.by_states), std::pair(Leave::Preemptions, one.by_preemptions),
          std::pair(Leave::Both, one.by_both)}) {
      const Searched reduced = search(program, reduced_by(leave, kUnbounded));
      EXPECT_EQ(reduced.classes.size(), one.classes);
      EXPECT_TRUE(reduced.coverage.complete);
      EXPECT_EQ(reduced.executions, executions) << one.tasks << " tasks, " << one.count << " sections";
      if (leave != Leave::Preemptions) {
        EXPECT_GT(reduced.hashes_known, executions / 2);
      }
    }
  }
}

// Each task has a lock and a semaphore of its own: there is nothing to preempt for.
TEST(Reduction, NothingIsPreemptedWhereNothingRaces) {
  Program program;
  program.tasks.resize(3);
  for (unsigned task = 1; task < 3; ++task)
    for (unsigned i = 0; i < 3; ++i)
      program.tasks[task].insert(program.tasks[task].end(), {{kLock, task - 1}, {kUnlock, task - 1}});
  const Program whole = joined(program);
  BoundedSearch::Options options = reduced_by(Leave::Both, kUnbounded);
  options.reduction.sample_every = 0;
  const Searched reduced = search(whole, options);
  EXPECT_EQ(reduced.classes.size(), 1u);
  EXPECT_TRUE(reduced.coverage.complete);
  EXPECT_LE(reduced.executions, 4u);
  EXPECT_GT(search(whole, reduced_by(Leave::States, kUnbounded)).executions, 30u);
}

// Until there is something to be won, preemptions are made whether they bring something or not.
TEST(Reduction, LittleIsRunAsIfNoPreemptionWereLeftOut) {
  const Program program = joined(sections(3, 2));
  BoundedSearch::Options options = reduced_by(Leave::Both, kUnbounded);
  const std::size_t reduced = search(program, options).executions;
  options.made_at_first = 100;
  const Searched some = search(program, options);
  EXPECT_EQ(some.classes.size(), 90u);
  EXPECT_GT(some.executions, reduced);
  options.made_at_first = 100'000;
  const Searched all = search(program, options);
  EXPECT_GT(all.executions, some.executions);
  EXPECT_EQ(all.executions, search(program, reduced_by(Leave::States, kUnbounded)).executions);
}

// With no memory for what was pruned, or too little, the search begins again when it turns out to matter, and finds
// the same.
TEST(Reduction, BeginsAgainWhereNotAllThatWasLeftOutIsKept) {
  for (const std::size_t most : {0, 6}) {
    std::size_t more = 0;
    for (std::uint64_t seed = 1; seed <= 120 && !HasFailure(); ++seed) {
      const Program program = locking_program(seed);
      const Searched all = search(program, {.max_preemptions = 2}, {}, 3'000);
      if (all.executions > 3'000) continue;
      BoundedSearch::Options options = reduced_by(Leave::Both, 2);
      const Searched kept = search(program, options);
      options.max_pruned = most;
      const Searched reduced = search(program, options);
      expect_same(program, all, reduced, "seed " + std::to_string(seed) + ": ");
      more += reduced.executions > kept.executions ? 1 : 0;
    }
    EXPECT_GT(more, most == 0 ? 10u : 2u) << most << " kept";
  }
}

// How many bytes each schedule takes that waits, where most wait; with the nodes from which they branch off and with
// what was pruned.
double bytes_of_pending(const Program& program, bool reduce, int most_runs) {
  BoundedSearch search({.reduce = reduce, .reduce_preemptions = reduce});
  std::uint64_t most_pending = 0;
  double bytes = 0;
  for (int run = 1; run <= most_runs; ++run) {
    Next next = search.next();
    if (!std::holds_alternative<Plan>(next)) break;
    search.learn(execute(program, std::get<Plan>(next)));
    const std::uint64_t pending = search.coverage().pending;
    if (pending <= most_pending) continue;
    most_pending = pending;
    bytes = static_cast<double>(search.bytes_in_use()) / static_cast<double>(pending);
  }
  EXPECT_GT(most_pending, 100u);
  return bytes;
}

// What the search has to remember is the frontier: an entry of 12 bytes for each schedule that waits, its share of the
// nodes from which they branch off, of 14 bytes each, and with the reduction a little that was pruned.
TEST(Memory, APendingScheduleTakesAtMost32Bytes) {
  std::vector<Call> puts, takes;
  for (unsigned item = 0; item < 2; ++item) {
    puts.insert(puts.end(), {{kLock, 0}, {OperationKind::SemaphorePost, 0}, {kUnlock, 0}});
    takes.insert(takes.end(), {{OperationKind::SemaphoreWait, 0}, {kLock, 0}, {kUnlock, 0}});
  }
  const Program queue = joined({{puts, puts, takes, takes}, {}});
  for (const bool reduce : {false, true}) {
    const double bytes = bytes_of_pending(joined(sections(3, 3)), reduce, 20'000);
    EXPECT_LE(bytes, 32) << "sections";
    RecordProperty(reduce ? "reduced" : "all", std::to_string(bytes));
    EXPECT_LE(bytes_of_pending(joined(sections(3, 4)), reduce, 20'000), 32) << "more sections";
    EXPECT_LE(bytes_of_pending(queue, reduce, 20'000), 32) << "queue";
  }
}

TEST(Memory, AStateTakesAFewDozenBytes) {
  StateTable table(std::size_t{1} << 24);
  std::mt19937_64 draw(1);
  for (std::size_t i = 1; i <= 300'000; ++i) {
    table.add({draw(), draw()}, 1, 1);
    if (i > 1'000) {
      ASSERT_LE(table.bytes(), i * 72);
    }
  }
}

}  // namespace
}  // namespace heddle::test
