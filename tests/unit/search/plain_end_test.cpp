// Programs whose process ends while threads could go on (search/plain_end.h): whatever brute force finds is found, but
// for what is the beginning of an execution that was run.
#include "search/plain_end.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <vector>

#include "protocol/dependence.h"
#include "search/bounded.h"
#include "search/dpor.h"
#include "search/enumeration.h"
#include "search/seeds.h"

namespace heddle::test {
namespace {

using K = OperationKind;
constexpr std::size_t kMax = 4'000;
constexpr unsigned kUnbounded = BoundedSearch::kNoBound;

const std::vector<Call> kPlainEnd = {{.kind = K::ProcessExit, .argument = kNothingFollows},
                                     {.kind = K::ProcessExit, .argument = kEnds}};

// Which of the ways to end it a program takes.
enum class Ending { Returns, Exits, RunsHandlers, ExitsInThread, Last = ExitsInThread };

Program with_end(Program program, Ending ending, std::uint64_t seed) {
  std::mt19937_64 draw(seed);
  auto& main = program.tasks.front();
  const auto append = [](std::vector<Call>& calls, const std::vector<Call>& more) {
    calls.insert(calls.end(), more.begin(), more.end());
  };
  switch (ending) {
    case Ending::Returns:
      append(main, kPlainEnd);
      break;
    case Ending::Exits:
      main.push_back(kPlainEnd.back());
      break;
    case Ending::RunsHandlers:
      main.push_back({.kind = K::ProcessExit, .argument = kHandlersFollow});
      main.push_back({draw() % 2 == 0 ? K::MutexTryLock : K::AtomicLoad, static_cast<unsigned>(draw() % 2)});
      main.push_back(kPlainEnd.back());
      break;
    case Ending::ExitsInThread:
      program.tasks.back().push_back(kPlainEnd.back());
      if (draw() % 2 == 0) append(main, kPlainEnd);
      break;
  }
  return program;
}

using Counts = std::vector<std::size_t>;  // by task: so many steps

bool is_end(const Execution& execution, std::size_t step) { return is_plain_end(execution.steps[step]); }

Counts counts_of(const Program& program, const Execution& execution) {
  Counts counts(program.tasks.size());
  for (std::size_t step = 0; step < execution.steps.size(); ++step)
    if (!is_end(execution, step)) ++counts[execution.steps[step].task];
  return counts;
}

// As far as it makes a class: neither time nor the beginning of an end orders anything there.
Access in_class(const StepRecord& made) {
  const bool wrote = (made.flags & StepFlags::Wrote) != 0;
  Access access = access_of(made.operation, made.object, made.object2, wrote);
  access.everything = access.outside = access.creates = false;
  return access;
}

// The execution that is made of so many steps of each task, its plain ends left aside. Nothing: what is left out comes
// before some of it.
std::optional<Execution> beginning_of(const Execution& execution, const Counts& counts) {
  Execution beginning;
  Counts taken(counts.size());
  std::vector<Access> left_out;
  for (std::size_t step = 0; step < execution.steps.size(); ++step) {
    if (is_end(execution, step)) continue;
    const StepRecord& made = execution.steps[step];
    const Access access = in_class(made);
    if (taken[made.task] == counts[made.task]) {
      left_out.push_back(access);
      continue;
    }
    for (const Access& before : left_out)
      if (dependent(before, access)) return {};
    ++taken[made.task];
    beginning.steps.push_back(made);
  }
  if (taken != counts) return {};
  return beginning;
}

// What brute force has found of a class, with the fewest preemptions.
struct Seen {
  Execution execution;
  Counts counts;
  PlainEnd end;
};
using Classes = std::map<Class, Seen>;

void note(const Program& program, const Execution& execution, Classes& classes) {
  const auto [known, fresh] = classes.try_emplace(class_of(execution));
  if (!fresh && known->second.execution.end.preemptions <= execution.end.preemptions) return;
  known->second = {execution, counts_of(program, execution), plain_end_of(execution)};
}

bool covers(const Seen& one, const Seen& other) {
  if (one.end.task != other.end.task || one.counts[one.end.task] != other.counts[one.end.task]) return false;
  const auto begun = beginning_of(one.execution, other.counts);
  const auto whole = beginning_of(other.execution, other.counts);
  return begun && class_of(*begun) == class_of(*whole);
}

// Is a class in `found`, with at most `most` preemptions, or else covered by what is?
bool is_found(const Class& graph, const Seen& wanted, const Classes& found, unsigned most) {
  const auto in_time = [&](const Seen& one) { return one.execution.end.preemptions <= most; };
  const auto same = found.find(graph);
  if (same != found.end() && in_time(same->second)) return true;
  return wanted.end.task != kNoTask && std::any_of(found.begin(), found.end(), [&](const auto& one) {
           return in_time(one.second) && covers(one.second, wanted);
         });
}

std::optional<Classes> by_brute_force(const Program& program) {
  Classes classes;
  const auto note_it = [&](const Execution& execution) { note(program, execution, classes); };
  if (!each_execution(program, kMax, note_it)) return {};
  return classes;
}

struct Ran {
  Classes classes;
  std::size_t executions = 0;
  std::map<std::string, std::size_t> whole;  // orders behind which nobody could go on: how often each ran
};

bool could_go_on(const Execution& execution) {
  return std::any_of(execution.pending.begin(), execution.pending.end(), [](const PendingRecord& one) {
    return (one.state & (TaskState::Enabled | TaskState::Timeout)) != 0;
  });
}

Ran run(const Program& program, Strategy& strategy) {
  Ran ran;
  for (Next next = strategy.next(); std::holds_alternative<Plan>(next); next = strategy.next()) {
    const Execution execution = execute(program, std::get<Plan>(next));
    EXPECT_NE(execution.end.end, EndKind::Diverged) << program.text();
    if (execution.end.end != EndKind::Asleep) note(program, execution, ran.classes);
    if (execution.end.end == EndKind::Exited && !could_go_on(execution)) ++ran.whole[order_of(program, execution)];
    strategy.learn(execution);
    if (++ran.executions > 20 * kMax) break;
  }
  return ran;
}

void expect_found(const Program& program, const Classes& all, const Ran& ran, unsigned bound, bool as_cheap,
                  const std::string& what) {
  for (const auto& [graph, wanted] : all) {
    const unsigned needs = wanted.execution.end.preemptions;
    if (needs > bound || is_found(graph, wanted, ran.classes, as_cheap ? needs : kUnbounded)) continue;
    ADD_FAILURE() << what << ": not found: " << text(schedule_of(wanted.execution)) << "of " << program.text();
    return;
  }
}

Ending ending_of(std::uint64_t seed) { return static_cast<Ending>(seed % (static_cast<unsigned>(Ending::Last) + 1)); }

TEST(PlainEnd, BoundedSearchesOfRandomProgramsFindAllThatIsNoBeginning) {
  const Seeds range = seeds(200);
  std::size_t compared = 0, all_run = 0, reduced_run = 0;
  for (std::uint64_t seed = range.first; seed < range.end && !HasFailure(); ++seed) {
    const bool mixed = seed / 4 % 2 == 0;
    const Program program =
        with_end(mixed ? mixed_program(seed, seed % 3 == 0) : random_program(seed), ending_of(seed), seed);
    const auto all = by_brute_force(program);
    if (!all) continue;
    ++compared;
    for (const unsigned bound : {0u, 1u, 2u, kUnbounded}) {
      for (const bool states : {false, true}) {
        BoundedSearch search({.max_preemptions = bound, .reduce = states, .reduce_preemptions = true});
        const Ran ran = run(program, search);
        const std::string what = "seed " + std::to_string(seed) + ", bound " + std::to_string(bound);
        EXPECT_EQ(search.take_note(), "") << what;
        expect_found(program, *all, ran, bound, true, what + (states ? ", with states" : ""));
        if (bound != kUnbounded || !states) continue;
        EXPECT_TRUE(search.coverage().complete) << what;
        all_run += all->size();
        reduced_run += ran.classes.size();
      }
    }
  }
  if (range.fuzzing) return;
  EXPECT_GT(compared, 100u);
  EXPECT_LT(reduced_run, all_run);
}

// It runs each order of an execution that comes to its end only once.
TEST(PlainEnd, PartialOrderReductionOfRandomProgramsFindsAllThatIsNoBeginning) {
  const Seeds range = seeds(300);
  std::size_t compared = 0, all_run = 0, reduced_run = 0;
  for (std::uint64_t seed = range.first; seed < range.end && !HasFailure(); ++seed) {
    const Program program = with_end(mixed_program(seed), ending_of(seed), seed);
    const auto all = by_brute_force(program);
    if (!all) continue;
    ++compared;
    DporSearch search(program.limits.early_timeouts());
    const Ran ran = run(program, search);
    const std::string what = "dpor, seed " + std::to_string(seed);
    EXPECT_TRUE(search.coverage().complete) << what;
    expect_found(program, *all, ran, kUnbounded, false, what);
    for (const auto& [order, times] : ran.whole) EXPECT_EQ(times, 1u) << what << ": " << program.text();
    all_run += all->size();
    reduced_run += ran.executions;
  }
  if (range.fuzzing) return;
  EXPECT_GT(compared, 100u);
  EXPECT_LT(reduced_run, all_run);
}

// Three threads with a lock of each: nothing is there to be ordered.
Program independent_threads() {
  Program program{{{}, {}, {}, {}}, {}};
  for (unsigned task = 1; task < program.tasks.size(); ++task)
    for (unsigned round = 0; round < 2; ++round) program.tasks[task].push_back({K::AtomicLoad, round});
  program.tasks[0] = kPlainEnd;
  return program;
}

TEST(PlainEnd, IsNotOrderedWithThreadsThatHaveNothingInCommon) {
  const Program program = independent_threads();
  DporSearch dpor(true);
  EXPECT_LE(run(program, dpor).executions, 4u);  // the whole, and what each thread's end lets come before
  BoundedSearch bounded({.reduce = true, .reduce_preemptions = true});
  EXPECT_LE(run(program, bounded).executions, 40u);
  EXPECT_TRUE(bounded.coverage().complete);
  EXPECT_TRUE(bounded.coverage().early_ends && dpor.coverage().early_ends);
}

// Where handlers run at the end, they are ordered with what the others do.
TEST(PlainEnd, HandlersComeAtEachTime) {
  Program program = independent_threads();
  for (auto& calls : program.tasks)
    for (Call& call : calls)
      if (call.argument == kNothingFollows && call.kind == K::ProcessExit) call.argument = kHandlersFollow;
  program.tasks[0].insert(program.tasks[0].begin() + 1, {.kind = K::AtomicStore, .argument = 7});
  const auto all = by_brute_force({{program.tasks[0], program.tasks[1]}, {}});
  ASSERT_TRUE(all);
  const Program small{{program.tasks[0], program.tasks[1]}, {}};
  DporSearch dpor(true);
  const Ran ran = run(small, dpor);
  expect_found(small, *all, ran, kUnbounded, false, "dpor");
  std::set<std::string> seen;  // by the thread, and when the handler ran
  for (const auto& [graph, one] : ran.classes) seen.insert(one.execution.output);
  EXPECT_GE(seen.size(), 3u);
}

}  // namespace
}  // namespace heddle::test
