// Every search on the same random programs, which do everything at once: the same happens-before classes, the same
// final states, the same deadlocks, and as few preemptions for each.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "search/bounded.h"
#include "search/dpor.h"
#include "search/enumeration.h"
#include "search/seeds.h"

namespace heddle::test {
namespace {

constexpr std::size_t kMax = 3'000;

// `orders`: how the executions order their dependent steps.
Enumeration run(Strategy& strategy, const Program& program, std::set<std::string>* orders = nullptr) {
  Enumeration enumeration;
  for (Next next = strategy.next(); std::holds_alternative<Plan>(next); next = strategy.next()) {
    const Execution execution = execute(program, std::get<Plan>(next));
    EXPECT_NE(execution.end.end, EndKind::Diverged) << program.text();
    if (execution.end.end != EndKind::Asleep) note(execution, enumeration);
    if (orders != nullptr && execution.end.end != EndKind::Asleep) orders->insert(order_of(program, execution));
    strategy.learn(execution);
    if (enumeration.executions > 20 * kMax) break;
  }
  EXPECT_EQ(strategy.coverage().lost, 0u);
  return enumeration;
}

std::set<std::string> states_of(const Enumeration& enumeration) {
  std::set<std::string> result;
  for (const auto& [graph, found] : enumeration.classes) result.insert(found.state);
  return result;
}

void expect_same(const Enumeration& all, const Enumeration& found, const std::string& what) {
  EXPECT_EQ(found.contradiction, "") << what;
  EXPECT_EQ(states_of(found), states_of(all)) << what;
  EXPECT_EQ(found.deadlocks().size(), all.deadlocks().size()) << what;
  EXPECT_EQ(found.classes.size(), all.classes.size()) << what;
  for (const auto& [graph, one] : all.classes)
    if (!found.classes.contains(graph)) {
      ADD_FAILURE() << what << "not found: " << one.schedule;
      break;
    }
  for (const auto& [graph, one] : found.classes)
    if (!all.classes.contains(graph)) {
      ADD_FAILURE() << what << "does not exist: " << one.schedule;
      break;
    }
}

void expect_as_few_preemptions(const Enumeration& all, const Enumeration& found, const std::string& what) {
  for (const auto& [graph, one] : all.classes) {
    const auto known = found.classes.find(graph);
    if (known == found.classes.end() || known->second.preemptions == one.preemptions) continue;
    ADD_FAILURE() << what << one.schedule << "needs " << one.preemptions << " preemptions, found with "
                  << known->second.preemptions;
    break;
  }
}

// What a bound leaves of an enumeration.
Enumeration within(const Enumeration& all, unsigned bound) {
  Enumeration result = all;
  std::erase_if(result.classes, [&](const auto& entry) { return entry.second.preemptions > bound; });
  return result;
}

enum class Runs { EveryClassOnce, EveryOrderOnce, SomeAgain };

// True: it was small enough to be compared.
bool run_dpor(const Program& program, const std::string& what, Runs runs) {
  const auto all = brute_force(program, kMax);
  if (!all) return false;
  EXPECT_EQ(all->contradiction, "") << what;
  expect_same(*all, with_sleep_sets(program), "sleep sets, " + what);
  DporSearch dpor(program.limits.early_timeouts());
  std::set<std::string> orders;
  const Enumeration reduced = run(dpor, program, &orders);
  expect_same(*all, reduced, "dpor, " + what);
  EXPECT_TRUE(dpor.coverage().complete) << what;
  if (runs == Runs::SomeAgain) {
    EXPECT_LE(reduced.executions + dpor.asleep(), 2 * orders.size() + 2) << what;
    return true;
  }
  // An alternative of a choice may be begun before what leads on from it is known, and end asleep (dpor.h).
  if (program.text().find("choose") == std::string::npos) {
    EXPECT_EQ(dpor.asleep(), 0u) << what;
  }
  EXPECT_EQ(reduced.executions, runs == Runs::EveryClassOnce ? all->classes.size() : orders.size()) << what;
  return true;
}

bool has_sleeps(const Program& program) { return program.text().find("sleep") != std::string::npos; }

void run_dpor_on_random_programs(bool deadlines) {
  std::size_t compared = 0;
  const Seeds range = seeds(300);
  for (std::uint64_t seed = range.first; seed < range.end && !testing::Test::HasFailure(); ++seed) {
    const Program program = mixed_program(seed, deadlines);
    const bool exact = !deadlines || (program.limits.early_timeouts() && !has_sleeps(program));
    const Runs runs = exact ? Runs::EveryClassOnce : Runs::EveryOrderOnce;
    compared += run_dpor(program, "seed " + std::to_string(seed) + ": " + program.text(), runs) ? 1 : 0;
  }
  EXPECT_TRUE(range.fuzzing || compared > 150u);
}

// The theorem of optimality of optimal DPOR (Abdulla, Aronis, Jonsson, Sagonas, JACM 2017): of no class two executions,
// and none that ends because all choices sleep.
TEST(Agreement, DporRunsEveryClassOfRandomProgramsOnce) { run_dpor_on_random_programs(false); }

// The same holds with deadlines. Only with sleeps, which depend on each other, and where no timeout fires early, and
// one depends on everything, the search goes by a finer relation than the classes that are counted. It runs one
// execution for each such order; that is the only redundancy there is.
TEST(Agreement, DporRunsEveryOrderOfRandomProgramsWithDeadlinesOnce) { run_dpor_on_random_programs(true); }

TEST(Agreement, DporRunsEveryClassOfProgramsWithOneTimeInitializationOnce) {
  std::size_t compared = 0;
  const Seeds range = seeds(100);
  for (std::uint64_t seed = range.first; seed < range.end && !HasFailure(); ++seed) {
    const Program program = with_once(mixed_program(seed), seed);
    compared += run_dpor(program, "seed " + std::to_string(seed) + ": " + program.text(), Runs::EveryClassOnce) ? 1 : 0;
  }
  EXPECT_TRUE(range.fuzzing || compared > 30u) << compared;
}

// Fuzzing found these, each with a case of its own: ends by deadlines that are over, units that others left,
// alternatives that access other things than what was done. (They are worth something as long as mixed_program() is
// what it is.)
TEST(Agreement, DporRunsEveryOrderOfProgramsThatItWasOnceWrongWith) {
  for (const std::uint64_t seed : {417u, 204801u, 306958u, 307538u, 310006u, 314137u, 317419u, 321332u, 326035u,
                                   344277u, 356153u, 366902u, 367721u, 396968u, 511226u, 703800u, 727397u})
    EXPECT_TRUE(run_dpor(mixed_program(seed, true), "seed " + std::to_string(seed), Runs::EveryOrderOnce));
}

// Whether a call on a descriptor has to wait is known only where it was seen to. What there is no order of is begun and
// counts for nothing; the way there may be taken again, though nothing new lies at its end.
TEST(Agreement, DporRunsEveryClassOfProgramsWithPipes) {
  std::size_t compared = 0;
  const Seeds range = seeds(400);
  for (std::uint64_t seed = range.first; seed < range.end && !HasFailure(); ++seed) {
    const Program program = piped_program(seed);
    compared += run_dpor(program, "seed " + std::to_string(seed) + ": " + program.text(), Runs::SomeAgain) ? 1 : 0;
  }
  EXPECT_TRUE(range.fuzzing || compared > 200u);
}

// Where an operation that pthreads does not allow ends the process, who had ended by then makes a difference.
TEST(Agreement, AMisuseDependsOnEverything) {
  using K = OperationKind;
  Program program{{{{K::MutexTryLock, 0}, {K::MutexUnlock, 0}},
                   {{K::MutexTryLock, 0}, {K::ThreadJoin, 2}, {K::MutexUnlock, 0}},
                   {{.kind = K::AtomicStore, .argument = 3}}},
                  {}};
  program.limits.fair = false;
  EXPECT_TRUE(run_dpor(program, "", Runs::EveryClassOnce));
  program.tasks[0] = {{.kind = K::Choose, .argument = 2}, {.kind = K::SemaphorePost, .only_if = Call::If::NotZero}};
  program.tasks[2] = {{.kind = K::Choose, .argument = 2},
                      {.kind = K::SemaphorePost, .only_if = Call::If::NotZero},
                      {K::MutexTryLock, 0},
                      {.kind = K::MutexUnlock, .only_if = Call::If::Zero}};
  program.tasks[1][2].only_if = Call::If::Zero;
  EXPECT_TRUE(run_dpor(program, "", Runs::EveryClassOnce));
}

BoundedSearch::Options options_of(unsigned way, unsigned bound) {
  BoundedSearch::Options options;
  options.max_preemptions = bound;
  options.reduce = (way & 1u) != 0;
  options.reduce_preemptions = (way & 2u) != 0;
  return options;
}

// Without a reduction, by states, by preemptions that bring nothing, and by both.
void run_bounded(const Program& program, std::uint64_t seed) {
  const auto all = brute_force(program, kMax);
  if (!all) return;
  for (const unsigned bound : {0u, 1u, 2u, BoundedSearch::kNoBound}) {
    const Enumeration expected = within(*all, bound);
    for (const unsigned way : {0u, 1u, 2u, 3u}) {
      BoundedSearch search(options_of(way, bound));
      const Enumeration found = run(search, program);
      const std::string what = "way " + std::to_string(way) + ", bound " + std::to_string(bound) + ", seed " +
                               std::to_string(seed) + ": " + program.text();
      EXPECT_EQ(search.take_note(), "") << what;
      expect_same(expected, found, what);
      expect_as_few_preemptions(expected, found, what);
    }
  }
}

TEST(Agreement, BoundedSearchesRunEveryClassOfRandomProgramsWithinTheirBound) {
  const Seeds range = seeds(300);
  for (std::uint64_t seed = range.first; seed < range.end && !HasFailure(); ++seed)
    run_bounded(mixed_program(seed, seed % 2 == 0), seed);
}

// What the schedules of a program come to, up to the exchange of tasks that are alike, with the least preemptions.
std::map<std::string, unsigned> ends_of(const Enumeration& enumeration) {
  std::map<std::string, unsigned> ends;
  for (const auto& [graph, found] : enumeration.classes) {
    const std::string end = std::to_string(static_cast<int>(std::get<EndKind>(graph))) + " " + found.state;
    const auto [known, fresh] = ends.insert({end, found.preemptions});
    known->second = std::min(known->second, found.preemptions);
  }
  return ends;
}

struct Saved {
  std::uint64_t programs = 0;
  std::uint64_t with = 0, without = 0;  // executions, with symmetry and without
};

void run_symmetric(const Program& program, const std::string& name, Saved& saved) {
  const auto all = brute_force(program, kMax);
  if (!all) return;
  ++saved.programs;
  for (const unsigned bound : {0u, 1u, 2u, BoundedSearch::kNoBound}) {
    const auto expected = ends_of(within(*all, bound));
    for (const unsigned way : {1u, 3u}) {
      const std::string what =
          name + ", way " + std::to_string(way) + ", bound " + std::to_string(bound) + ": " + program.text();
      BoundedSearch::Options options = options_of(way, bound);
      options.reduction.sample_every = 0;  // samples would hide what is pruned wrongly
      BoundedSearch plain(options);
      saved.without += run(plain, program).executions;
      options.symmetric = true;
      BoundedSearch search(options);
      const Enumeration found = run(search, program);
      saved.with += found.executions;
      EXPECT_EQ(search.take_note(), "") << what;
      EXPECT_EQ(ends_of(found), expected) << what;
    }
  }
}

// Exchanging tasks that are alike changes nothing: each end is found, with as few preemptions, up to who is who.
TEST(Agreement, SymmetricSearchesFindEveryEndOfRandomProgramsWithAlikeTasks) {
  Saved saved;
  const Seeds range = seeds(150);
  for (std::uint64_t seed = range.first; seed < range.end && !HasFailure(); ++seed)
    run_symmetric(alike_program(seed, seed % 2 == 0), "seed " + std::to_string(seed), saved);
  EXPECT_TRUE(range.fuzzing || (saved.programs > 60 && 3 * saved.with < 2 * saved.without))
      << saved.with << " and " << saved.without << " in " << saved.programs;
}

// The first task looks when one of two has ended: the other one may be half done, whichever of them began first.
TEST(Agreement, SymmetricSearchesSeeThatTheCreatorKnowsWhoHasEnded) {
  using K = OperationKind;
  const Call add{.kind = K::AtomicUpdate, .argument = 1}, look{.kind = K::AtomicLoad};
  Program program{{{{K::ThreadJoin, 1}, look, {K::ThreadJoin, 2}}, {add, add}, {add, add}}, {}};
  program.alike = true;
  program.limits.fair = false;
  Saved saved;
  run_symmetric(program, "joined one by one", saved);
  EXPECT_GT(saved.with, saved.without);  // it begins again
  std::swap(program.tasks[0][1], program.tasks[0][2]);
  saved = {};
  run_symmetric(program, "joined together", saved);
  EXPECT_LT(saved.with, saved.without);
}

// Whatever comes first, in the end the same has been run. Without a reduction, each schedule once.
void run_by_priority(const Program& program, std::uint64_t seed, const std::string& priorities) {
  const auto all = brute_force(program, kMax);
  if (!all) return;
  for (const unsigned bound : {1u, BoundedSearch::kNoBound}) {
    const Enumeration expected = within(*all, bound);
    for (const unsigned way : {0u, 1u, 3u}) {
      BoundedSearch::Options options = options_of(way, bound);
      options.of_priorities.seed = seed;
      BoundedSearch in_order(options);
      options.priorities = priorities;
      BoundedSearch search(options);
      const Enumeration found = run(search, program);
      const std::string what = priorities + ", way " + std::to_string(way) + ", bound " + std::to_string(bound) +
                               ", seed " + std::to_string(seed) + ": " + program.text();
      EXPECT_EQ(search.take_note(), "") << what;
      expect_same(expected, found, what);
      expect_as_few_preemptions(expected, found, what);
      if ((way & 2u) == 0) {  // pruned choices keep their nodes
        EXPECT_EQ(search.nodes_in_use(), 0u) << what;
      }
      const Enumeration as_ever = run(in_order, program);
      const Coverage proved = search.coverage(), proved_in_order = in_order.coverage();
      if (!proved.complete && !proved_in_order.complete) {
        EXPECT_EQ(proved.bound_proved, proved_in_order.bound_proved) << what;
      }
      if (way != 0) continue;
      EXPECT_EQ(proved.complete, proved_in_order.complete) << what;
      EXPECT_EQ(found.executions, as_ever.executions) << what;
    }
  }
}

TEST(Agreement, BestFirstSearchesRunEveryClassWhateverComesFirst) {
  std::vector<std::string> lists;
  for (const PriorityEntry& entry : priorities())
    if (!is_by_bound(entry.name) && entry.name != kPriorityFile) lists.emplace_back(entry.name);
  for (const char* list : {"mdpor,pb", "ss,dpor,rand", "pb,rand"}) lists.emplace_back(list);
  const Seeds range = seeds(200);
  for (std::uint64_t seed = range.first; seed < range.end && !HasFailure(); ++seed)
    run_by_priority(mixed_program(seed, seed % 2 == 0), seed, lists[seed % lists.size()]);
}

TEST(Agreement, BoundedSearchesRunEveryClassOfProgramsWithOneTimeInitialization) {
  const Seeds range = seeds(50);
  for (std::uint64_t seed = range.first; seed < range.end && !HasFailure(); ++seed)
    run_bounded(with_once(mixed_program(seed, seed % 2 == 0), seed), seed);
}

}  // namespace
}  // namespace heddle::test
