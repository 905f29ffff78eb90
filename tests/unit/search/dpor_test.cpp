// Optimal DPOR against the enumeration of all schedules by brute force: the same happens-before graphs, each once, and
// the same ends.
#include "search/dpor.h"

#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <random>
#include <set>

#include "analysis/happens_before.h"
#include "search/pretend_target.h"
#include "search/seeds.h"
#include "search/wakeup_tree.h"

namespace heddle::test {
namespace {

constexpr OperationKind kLock = OperationKind::MutexLock, kUnlock = OperationKind::MutexUnlock;

struct Explored {
  std::set<std::pair<std::uint64_t, std::uint64_t>> classes;
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::string> schedules;  // one for each class
  std::set<std::pair<std::uint64_t, std::uint64_t>> deadlocks;
  std::uint64_t executions = 0;
  std::uint64_t asleep = 0;
  Coverage coverage;
};

void take(const Execution& execution, Explored& explored) {
  if (execution.end.end == EndKind::Asleep) {
    ++explored.asleep;
    return;
  }
  ++explored.executions;
  const auto hash = HappensBefore().hash(execution);
  ASSERT_TRUE(hash.has_value());
  explored.classes.insert({hash->a, hash->b});
  explored.schedules.emplace(std::pair(hash->a, hash->b), text(schedule_of(execution)));
  if (execution.end.end == EndKind::Deadlock) explored.deadlocks.insert({hash->a, hash->b});
}

std::string planned(const Plan& plan) {
  std::string result;
  for (const Delta& delta : plan.deltas) result += std::to_string(delta.step) + ": " + text({delta.choice});
  for (std::size_t i = 0; i < policy_items<PolicyKind::Awake>(plan); ++i) {
    const Sleeper sleeper = policy_item<PolicyKind::Awake>(plan, i);
    result += std::to_string(sleeper.step) + " sleeps " + text({sleeper.choice});
  }
  return result;
}

struct Way {
  std::size_t ahead = 1;      // plans that are out
  std::uint64_t shuffle = 0;  // not 0: results come back in any order, drawn from this seed
};

Explored explore(const Program& program, const Way& way = {}, std::uint64_t most = 200'000) {
  DporSearch search(program.limits.early_timeouts());
  Explored explored;
  std::mt19937_64 draw(way.shuffle);
  std::deque<Execution> outstanding;
  while (explored.executions <= most) {
    Next next = search.next();
    if (auto* plan = std::get_if<Plan>(&next)) {
      outstanding.push_back(execute(program, *plan));
      EXPECT_NE(outstanding.back().end.end, EndKind::Diverged)
          << program.text() << "behind " << text(schedule_of(outstanding.back())) << "planned " << planned(*plan);
      if (outstanding.size() < way.ahead) continue;
    } else if (std::holds_alternative<Exhausted>(next)) {
      break;
    }
    if (way.shuffle != 0) std::swap(outstanding.front(), outstanding[draw() % outstanding.size()]);
    take(outstanding.front(), explored);
    search.learn(outstanding.front());
    outstanding.pop_front();
  }
  EXPECT_EQ(search.coverage().pending, 0u);
  explored.coverage = search.coverage();
  return explored;
}

// Every schedule, by brute force.
void enumerate_all(const Program& program, Schedule& schedule, std::size_t most, Explored& explored) {
  if (explored.executions >= most) return;
  Run run(program);
  Execution execution;
  Plan plan;
  for (std::size_t i = 0; i < schedule.size(); ++i) plan.deltas.push_back({static_cast<std::uint32_t>(i), schedule[i]});
  for (const Choice choice : schedule) {
    run.decide();
    run.step(choice);
  }
  const model::Decision decision = run.decide();
  if (run.world().population().live_tasks() == 0 || decision.status == model::Decision::Status::Deadlock)
    return take(execute(program, plan), explored);
  const std::vector<Choice> choices = run.choices();
  for (const Choice choice : choices) {
    schedule.push_back(choice);
    Run again(program);
    bool refused = false;
    for (const Choice made : schedule) {
      again.decide();
      refused = again.step(made).misuse != nullptr;
    }
    if (refused) {
      plan.deltas.push_back({static_cast<std::uint32_t>(schedule.size() - 1), choice});
      take(execute(program, plan), explored);
      plan.deltas.pop_back();
    } else {
      enumerate_all(program, schedule, most, explored);
    }
    schedule.pop_back();
  }
}

Explored brute_force(const Program& program, std::size_t most) {
  Explored explored;
  Schedule schedule;
  enumerate_all(program, schedule, most, explored);
  return explored;
}

Program unfair(Program program) {
  program.limits.fair = false;
  program.limits.spurious_wakeups = 0;
  return program;
}

Program sections(unsigned tasks, unsigned count) {
  Program program;
  program.tasks.resize(tasks);
  for (auto& calls : program.tasks)
    for (unsigned i = 0; i < count; ++i) {
      calls.push_back({kLock, 0});
      calls.push_back({kUnlock, 0});
    }
  return unfair(program);
}

TEST(DporTest, SectionsOfOneLock) {
  const std::map<std::pair<unsigned, unsigned>, std::uint64_t> expected = {
      {{2, 2}, 6}, {{3, 2}, 90}, {{3, 3}, 1'680}, {{3, 4}, 34'650}};
  for (const auto& [size, classes] : expected)
    for (const Way way : {Way{}, Way{64}, Way{200, 1}}) {
      const Explored explored = explore(sections(size.first, size.second), way);
      EXPECT_EQ(explored.executions, classes);
      EXPECT_EQ(explored.classes.size(), classes);
      EXPECT_EQ(explored.asleep, 0u);
      EXPECT_TRUE(explored.coverage.complete);
    }
}

TEST(DporTest, PhilosophersDeadlockOnce) {
  Program program;
  for (unsigned i = 0; i < 2; ++i)
    program.tasks.push_back({{kLock, i}, {kLock, 1 - i}, {kUnlock, 1 - i}, {kUnlock, i}});
  const Explored explored = explore(unfair(program));
  EXPECT_EQ(explored.executions, 3u);
  EXPECT_EQ(explored.deadlocks.size(), 1u);
}

void expect_no_promise(OperationKind operation, std::uint8_t marks, const char* named) {
  DporSearch search(true);
  Execution execution;
  execution.plan = std::get<Plan>(search.next()).id;
  StepRecord step;
  step.operation = operation;
  step.marks = marks;
  step.object = 1;
  step.site = 0x1234;
  execution.steps.push_back(step);
  execution.end.end = EndKind::Exited;
  search.learn(execution);
  EXPECT_TRUE(std::holds_alternative<Exhausted>(search.next()));
  EXPECT_TRUE(search.coverage().memory_decides);
  EXPECT_FALSE(search.coverage().complete);
  const std::string note = search.take_note();
  EXPECT_NE(note.find(named), std::string::npos) << note;
}

TEST(DporTest, PromisesNothingWhereMemoryDecides) {
  expect_no_promise(OperationKind::FutexWait, 0, "futex wait of {object 1}{at 0x1234}");
}

TEST(DporTest, PromisesNothingWhereReadersWaitBehindWaitingWriters) {
  expect_no_promise(OperationKind::TryReadLock, StepMarks::PrefersWriters, "read lock of {object 1}{at 0x1234}");
}

TEST(DporTest, PromisesNothingWhereEquivalentSchedulesDiffer) {
  const Program program{{{{kLock, 0}, {kUnlock, 0}}, {{kLock, 1}, {kUnlock, 1}}}, {}};
  DporSearch search(true);
  search.learn(execute(program, std::get<Plan>(search.next())));
  EXPECT_TRUE(search.reduces());
  search.distrust("they do");
  EXPECT_FALSE(search.reduces());
  EXPECT_TRUE(search.coverage().distrusted);
  EXPECT_FALSE(search.coverage().complete);
  EXPECT_NE(search.take_note().find("they do"), std::string::npos);
}

// Of what could be chosen at each state, all that was not run.
TEST(DporTest, CountsChoicesThatItLeavesOut) {
  // One order of four steps and two ends: at three states the other task could have gone on.
  const Program independent{{{{kLock, 0}, {kUnlock, 0}}, {{kLock, 1}, {kUnlock, 1}}}, {}};
  DporSearch search(true);
  search.learn(execute(unfair(independent), std::get<Plan>(search.next())));
  EXPECT_EQ(search.coverage().pruned, 3u);
  EXPECT_TRUE(search.coverage().complete);
  // Two orders of two sections. In each, at the state behind the first lock the other task is not enabled; behind the
  // unlock it is, and so it is before the end of the first one: 2 choices at each of the two.
  const Program dependent{{{{kLock, 0}, {kUnlock, 0}}, {{kLock, 0}, {kUnlock, 0}}}, {}};
  DporSearch other(true);
  for (Next next = other.next(); std::holds_alternative<Plan>(next); next = other.next())
    other.learn(execute(unfair(dependent), std::get<Plan>(next)));
  EXPECT_TRUE(other.coverage().complete);
  EXPECT_EQ(other.coverage().pruned, 2u);
}

TEST(DporTest, SaysWhichOperationLetAnOrderBePlannedThatDoesNotExist) {
  DporSearch search(true);
  Plan plan = std::get<Plan>(search.next());
  plan.deltas = {{0, {1, 0}}};
  Execution execution;
  execution.end.end = EndKind::Diverged;
  EXPECT_EQ(search.why_not_followed(plan, execution), "") << "it knows what everything does";
  PendingRecord pending;
  pending.task = 1;
  pending.operation = OperationKind::SignalWait;
  execution.pending.push_back(pending);
  EXPECT_NE(search.why_not_followed(plan, execution).find("\"signal wait\""), std::string::npos);
}

bool has_choices(const Program& program) {
  for (const auto& calls : program.tasks)
    for (const Call& call : calls)
      if (call.kind == OperationKind::Choose) return true;
  return false;
}

// `exact`: each once.
void expect_same(const Program& program, const Explored& all, const Way& way, bool exact, const std::string& what) {
  const Explored explored = explore(program, way);
  for (const auto& [graph, schedule] : all.schedules)
    EXPECT_TRUE(explored.classes.contains(graph)) << what << program.text() << "not found: " << schedule << "(one of "
                                                  << all.classes.size() << ", " << explored.classes.size() << " found)";
  EXPECT_EQ(explored.classes.size(), all.classes.size());
  EXPECT_EQ(explored.deadlocks, all.deadlocks) << what << program.text();
  EXPECT_TRUE(explored.coverage.complete) << what << program.text();
  if (!exact) return;
  EXPECT_EQ(explored.executions, all.classes.size()) << what << program.text();
  // An alternative may be begun before what leads on from it is known (dpor.h).
  if (way.ahead == 1 && !has_choices(program)) {
    EXPECT_EQ(explored.asleep, 0u) << what << program.text();
  }
}

// One plan out at a time, a few, and many whose results come back in any order.
void expect_same(const Program& program, std::uint64_t seed, std::size_t most, bool exact) {
  const Explored all = brute_force(program, most);
  if (all.executions >= most) return;
  const std::string what = "seed " + std::to_string(seed) + ": ";
  expect_same(program, all, {}, exact, what);
  expect_same(program, all, {1 + seed % 7}, exact, "several out, " + what);
  expect_same(program, all, {16, 1 + seed}, exact, "shuffled, " + what);
}

bool has_deadlines(const Program& program) {
  for (const auto& calls : program.tasks)
    for (const Call& call : calls)
      if (call.deadline != kNoDeadline) return true;
  return false;
}

// A sleep that was still pending at the end of an execution can come first only where nobody else can go on.
TEST(DporTest, SleepsEndByTheirDeadlinesOnly) {
  using K = OperationKind;
  Program program;
  program.limits.timeouts = Timeouts::Late;
  program.tasks = {{{kLock, 0}, {K::ConditionWait, 0, 0, 20}, {kUnlock, 0}},
                   {{K::SemaphoreWait, 1, 0, 20}, {K::SemaphoreWait, 0, 0, 20}},
                   {{K::Sleep, 0, 0, 30}}};
  expect_same(unfair(program), 1850, 2'000, false);
}

// Where timeouts may fire early, the end of a sleep is independent of a signalled wait, and also of the end of that
// wait by its deadline.
TEST(DporTest, SleepsAreIndependentOfWhatTheyCouldHaveTimedOut) {
  using K = OperationKind;
  const Program program{{{{kLock, 0}, {K::ConditionWait, 0, 0, 30}, {kUnlock, 0}, {K::Yield}},
                         {{K::Sleep, 0, 0, 20}, {K::SemaphoreWait, 1}},
                         {{K::ConditionBroadcast, 0}, {K::Sleep, 0, 0, 10}}},
                        {}};
  expect_same(unfair(program), 9045, 2'000, false);
}

// A signal without waiters only looked, and so does one that is to come before the wait: of two such signals neither
// wakes what sleeps because of the other.
TEST(DporTest, SignalsThatWouldFindNobodyOnlyLook) {
  using K = OperationKind;
  const Program program{{{{K::ConditionBroadcast, 0}},
                         {{K::ConditionSignal, 0}},
                         {{kLock, 0}, {K::ConditionWait, 0, 0, 30}, {kUnlock, 0}}},
                        {}};
  expect_same(unfair(program), 703750, 2'000, true);
}

// Nor do tries that find their mutex taken. A timed lock is one of them.
TEST(DporTest, TriesThatWouldFindTheirMutexTakenOnlyLook) {
  const auto unlock = Call{.kind = kUnlock, .object = 0, .only_if = Call::If::Zero};
  const Call attempt{.kind = OperationKind::MutexTryLock};
  const Program program{{{attempt, unlock}, {{kLock, 0}, unlock}, {attempt, unlock, {kLock, 0, 0, 30}, unlock}}, {}};
  expect_same(unfair(program), 703800, 2'000, true);
}

// A sequence that goes through an alternative of a choice comes while that alternative is out, and what it leads to by
// itself sleeps: fuzzing found this program. (It is worth something as long as mixed_program() is what it is.)
TEST(DporTest, AnAlternativeThatIsOutCoversNothing) { expect_same(unfair(mixed_program(711859)), 711859, 800, true); }

// What a wait that timed out would have found earlier: its own task, or another one that does not stand in its way, may
// have taken the last unit.
TEST(DporTest, WaitsThatTimedOutWouldHaveFoundWhatOthersLeft) {
  using K = OperationKind;
  Program program{{{{K::Sleep, 0, 0, 10}, {K::SemaphorePost, 0}},
                   {{K::SemaphorePost, 1}},
                   {{K::SemaphoreWait, 0, 0, 10}, {K::SemaphoreWait, 0, 0, 20}}},
                  {}};
  program.limits.timeouts = Timeouts::Late;
  expect_same(unfair(program), 30159, 2'000, false);
  program.tasks = {{{K::SemaphoreWait, 1}},
                   {{kLock, 0}, {kUnlock, 0}, {K::Sleep, 0, 0, 30}},
                   {{K::SemaphorePost, 1}, {K::SemaphoreWait, 1, 0, 20}}};
  program.limits.timeouts = Timeouts::Early;
  expect_same(unfair(program), 133739, 2'000, false);
}

// Where no timeout fires early, a wait whose time is over can still end by that, if it finds its object closed.
TEST(DporTest, WaitsWhoseTimeIsOverEndByThatWhileOthersHaveTheirObject) {
  using K = OperationKind;
  const auto unlock = [](K kind, unsigned object) {
    return Call{.kind = kind, .object = object, .only_if = Call::If::Zero};
  };
  Program program{{{{K::Sleep, 0, 0, 20},
                    {K::SpinLock, 1},
                    unlock(K::SpinUnlock, 1),
                    {kLock, 0, 0, 30},
                    unlock(kUnlock, 0),
                    {K::ThreadJoin, 1}},
                   {{K::Sleep, 0, 0, 30}, {kLock, 0, 0, 30}, unlock(kUnlock, 0)}},
                  {}};
  program.limits.timeouts = Timeouts::Late;
  expect_same(unfair(program), 204801, 2'000, false);
}

// With its mutex, a timed lock has nothing to do with the clock: no order of it and a sleep is run in vain.
TEST(DporTest, ATimedLockThatWouldHaveItsMutexIsIndependentOfTheClock) {
  const auto unlock = [](unsigned mutex) { return Call{.kind = kUnlock, .object = mutex, .only_if = Call::If::Zero}; };
  const Program program{
      {{{OperationKind::Sleep, 0, 0, 10}, {OperationKind::ThreadJoin, 1}, {OperationKind::ThreadJoin, 2}},
       {{kLock, 0}, unlock(0), {kLock, 1}, unlock(1)},
       {{kLock, 1, 0, 10}, unlock(1), {kLock, 0}, unlock(0)}},
      {}};
  EXPECT_EQ(explore(unfair(program)).asleep, 0u);
  expect_same(unfair(program), 417, 2'000, true);
}

TEST(DporTest, RandomProgramsHaveTheSameClasses) {
  const Seeds range = seeds(600);
  for (std::uint64_t seed = range.first; seed < range.end && !HasFailure(); ++seed) {
    Program program = unfair(random_program(seed));
    const bool sleeps = program.text().find("sleep") != std::string::npos;
    const bool exact =
        !has_deadlines(program) || (program.limits.early_timeouts() && !sleeps);  // see agreement_test.cpp
    expect_same(program, seed, 2'000, exact);
  }
}

// Loads don't depend on each other, nor do compare-exchanges that fail: what sleeps is woken later than where
// everything that touches an object changes it.
TEST(DporTest, RandomProgramsThatRead) {
  const Seeds range = seeds(400);
  for (std::uint64_t seed = range.first; seed < range.end && !HasFailure(); ++seed) {
    const Program program = unfair(mixed_program(seed));
    expect_same(program, seed, 800, true);
  }
}

// Whether a compare-exchange writes depends on what others wrote: what has to be known of one that is to come earlier.
Program memory_program(std::uint64_t seed) {
  using K = OperationKind;
  std::mt19937_64 draw(seed);
  const auto below = [&draw](unsigned end) { return static_cast<unsigned>(draw() % end); };
  const auto call = [&]() -> Call {
    const unsigned object = below(4) == 0 ? 1 : 0;
    switch (below(8)) {
      case 0:
        return {.kind = K::AtomicLoad, .object = object};
      case 1:
      case 2:
        return {.kind = K::AtomicStore, .object = object, .argument = below(3)};
      case 3:
        return {.kind = K::AtomicUpdate, .object = object, .argument = below(2)};
      default:
        return {.kind = K::AtomicCompareExchange, .object = object, .object2 = below(4), .argument = below(3)};
    }
  };
  Program program;
  program.tasks.resize(3);
  for (auto& calls : program.tasks)
    for (unsigned left = 1 + below(3); left > 0; --left) calls.push_back(call());
  return program;
}

TEST(DporTest, RandomProgramsOfCompareExchanges) {
  const Seeds range = seeds(300);
  for (std::uint64_t seed = range.first; seed < range.end && !HasFailure(); ++seed)
    expect_same(unfair(memory_program(seed)), seed, 2'000, true);
}

// A step of this task on an object of its own.
Event own_step(TaskId task, Variant variant = 0) { return {{task, variant}, {.object = task + 10u, .wrote = true}}; }

// What leads to a step that turns out not to exist goes with it, but not what was wanted for itself.
TEST(WakeupTree, TheWayToWhatDoesNotExist) {
  const Event way = own_step(1), missing = own_step(2), other = own_step(3), alternative = own_step(0, 1);
  WakeupTree tree;
  insert(tree, {way, missing}, true);
  take_out_leaf(tree, 1);
  EXPECT_TRUE(tree.empty());

  insert(tree, {way, missing}, true);
  insert(tree, {way});
  take_out_leaf(tree, 1);
  ASSERT_EQ(tree.size(), 1u);
  EXPECT_TRUE(tree[0].children.empty());

  tree = {WakeupNode(alternative, {}, true)};
  insert(tree, {alternative, way, missing}, true);
  take_out_leaf(tree, 2);
  ASSERT_EQ(tree.size(), 1u);
  EXPECT_EQ(tree[0].event.choice, alternative.choice);
  EXPECT_TRUE(tree[0].children.empty());

  tree.clear();
  insert(tree, {way, missing}, true);
  insert(tree, {way, other});  // goes behind the missing one, which does not depend on it
  take_out_leaf(tree, 1);
  ASSERT_EQ(tree.size(), 1u);
  ASSERT_EQ(tree[0].children.size(), 1u);
  EXPECT_EQ(tree[0].children[0].event.choice, other.choice);
}

TEST(WakeupTree, AsDeepAsALongExecutionItGoesAway) {
  constexpr std::size_t kDeep = 3'000'000;
  WakeupTree tree;
  insert(tree, std::vector<Event>(kDeep));
  WakeupTree other;
  other = std::move(tree);
  other.clear();
  EXPECT_TRUE(other.empty());
}

}  // namespace
}  // namespace heddle::test
