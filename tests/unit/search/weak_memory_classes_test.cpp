// Partial-order reduction over weak memory (--memory=rc11) against the enumeration of all schedules by brute force:
// each way in which loads read stores (reads-from) and in which stores stand (modification order) is come to.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <random>
#include <set>
#include <string>

#include "search/dpor.h"
#include "search/pretend_target.h"
#include "search/seeds.h"

namespace heddle::test {
namespace {

using K = OperationKind;
constexpr auto kRelaxed = AtomicOrder::Relaxed, kAcquire = AtomicOrder::Acquire, kRelease = AtomicOrder::Release,
               kBoth = AtomicOrder::AcquireRelease, kSequential = AtomicOrder::SequentiallyConsistent;

struct Shape {
  unsigned threads = 2, calls = 2, locations = 2;
  bool updates = false, compare_exchanges = false, sequential = false, fences = false;
};

// Each value is stored once, so that what was read tells the store. A task reads each variable at most as often as it
// reads one old value (kMostOldReads): which executions are left out beyond that depends on the order of steps.
Program random_weak_program(std::uint64_t seed, const Shape& shape) {
  std::mt19937_64 random(seed);
  const auto below = [&](unsigned limit) { return static_cast<unsigned>(random() % limit); };
  constexpr AtomicOrder kOrders[] = {kRelaxed, kAcquire, kRelease, kBoth};
  Program program;
  program.weak = true;
  program.limits.fair = false;
  program.limits.stale = 1000;
  program.tasks.resize(shape.threads);
  unsigned value = 0;
  for (auto& calls : program.tasks) {
    std::vector<int> reads(shape.locations);
    for (unsigned left = 1 + below(shape.calls); left > 0; --left) {
      const bool sequential = shape.sequential && below(3) == 0;
      Call call{.object = below(shape.locations)};
      const unsigned kind = below(9);
      call.argument = ++value;
      if (kind == 0 && shape.fences) {
        call = {.kind = K::AtomicFence, .object = kWords};
        call.order = sequential ? kSequential : kOrders[1 + below(3)];
      } else if ((kind == 1 && shape.updates) ||
                 (kind == 2 && shape.compare_exchanges && reads[call.object] < kMostOldReads)) {
        call.kind = kind == 1 ? K::AtomicUpdate : K::AtomicCompareExchange;
        call.object2 = below(value);  // expected
        call.order = sequential ? kSequential : kOrders[below(4)];
      } else if (kind < 6 || reads[call.object] == kMostOldReads) {
        call.kind = K::AtomicStore;
        call.order = sequential ? kSequential : below(2) == 0 ? kRelaxed : kRelease;
      } else {
        call.kind = K::AtomicLoad;
        call.order = sequential ? kSequential : below(2) == 0 ? kRelaxed : kAcquire;
      }
      if (call.kind == K::AtomicLoad || call.kind == K::AtomicCompareExchange) ++reads[call.object];
      calls.push_back(call);
    }
  }
  return program;
}

using Classes = std::set<std::string>;

// Makes its choices in their order; the next run differs from this one in the last that has an alternative left.
class Odometer {
 public:
  std::size_t choose(std::size_t count) {
    if (at_ == made_.size()) made_.push_back({0, count});
    return made_[at_++].first;
  }
  bool next() {
    at_ = 0;
    while (!made_.empty() && made_.back().first + 1 == made_.back().second) made_.pop_back();
    if (made_.empty()) return false;
    ++made_.back().first;
    return true;
  }

 private:
  std::vector<std::pair<std::size_t, std::size_t>> made_;
  std::size_t at_ = 0;
};

// A task that has nothing left to do but to end does so at once: nothing depends on that. False: there are too many.
bool brute_force(const Program& program, std::size_t most, Classes& classes) {
  Odometer odometer;
  do {
    if (most-- == 0) return false;
    Run run(program);
    while (!run.is_over()) {
      run.decide();
      const std::vector<Choice> choices = run.choices();
      const auto end = std::find_if(choices.begin(), choices.end(),
                                    [&](Choice choice) { return run.call_of(choice.task) == nullptr; });
      run.step(end != choices.end() ? *end : choices[odometer.choose(choices.size())]);
    }
    classes.insert(run.state());
  } while (odometer.next());
  return true;
}

struct Reduced {
  Classes classes;
  std::uint64_t executions = 0, asleep = 0;
  bool complete = false;
};

// With so many plans out at a time.
Reduced reduce(const Program& program, std::size_t ahead) {
  DporSearch search(false);
  Reduced reduced;
  std::deque<Execution> out;
  for (;;) {
    Next next = search.next();
    const auto* plan = std::get_if<Plan>(&next);
    if (plan != nullptr) out.push_back(execute(program, *plan));
    if (out.empty()) break;
    if (plan != nullptr && out.size() < ahead) continue;
    const Execution& execution = out.front();
    EXPECT_NE(execution.end.end, EndKind::Diverged) << program.text() << text(schedule_of(execution));
    search.learn(execution);
    if (execution.end.end == EndKind::Asleep) {
      ++reduced.asleep;
    } else {
      ++reduced.executions;
      reduced.classes.insert(execution.output);
    }
    out.pop_front();
  }
  reduced.complete = search.coverage().complete;
  return reduced;
}

// How many schedules may be run for each class, all programs taken together. 1: exactly one for each class of each
// program, and none ends because everything sleeps.
struct Bound {
  double executions_per_class = 1;
};

std::string missing(const Classes& some, const Classes& all) {
  std::string result;
  for (const std::string& one : all)
    if (!some.contains(one)) result += one + "\n";
  return result;
}

void compare(const Shape& shape, const Seeds& range, const Bound& bound) {
  std::uint64_t programs = 0, classes = 0, executions = 0;
  for (std::uint64_t seed = range.first; seed < range.end && !::testing::Test::HasFailure(); ++seed) {
    const Program program = random_weak_program(seed, shape);
    Classes all;
    if (!brute_force(program, 20'000, all)) continue;
    const std::string what = "seed " + std::to_string(seed) + ": " + program.text();
    const Reduced reduced = reduce(program, 1);
    ASSERT_EQ(missing(reduced.classes, all), "") << what;
    ASSERT_EQ(reduced.classes.size(), all.size()) << what;
    ASSERT_TRUE(reduced.complete) << what;
    if (bound.executions_per_class == 1) {
      ASSERT_EQ(reduced.executions, all.size()) << what;
      ASSERT_EQ(reduced.asleep, 0u) << what;
    }
    ASSERT_EQ(missing(reduce(program, 2 + seed % 7).classes, all), "") << "several out, " << what;
    ++programs;
    classes += all.size();
    executions += reduced.executions;
  }
  if (range.fuzzing) return;
  EXPECT_GT(programs, 250u);
  EXPECT_LE(static_cast<double>(executions), bound.executions_per_class * static_cast<double>(classes));
}

TEST(WeakMemoryClasses, EachOnceOfLoadsAndStores) {
  compare({.threads = 2, .calls = 4, .locations = 2, .fences = true}, seeds(500), {});
  compare({.threads = 3, .calls = 2, .locations = 2, .fences = true}, seeds(500), {});
}

TEST(WeakMemoryClasses, EachOnceWithUpdates) {
  compare({.threads = 2, .calls = 4, .locations = 2, .updates = true, .fences = true}, seeds(500), {});
  compare({.threads = 3, .calls = 2, .locations = 3, .updates = true, .fences = true}, seeds(500), {});
}

TEST(WeakMemoryClasses, EachOnceOfSequentialOperations) {
  compare({.threads = 2, .calls = 4, .locations = 2, .updates = true, .sequential = true}, seeds(500), {});
  compare({.threads = 3, .calls = 2, .locations = 2, .updates = true, .sequential = true}, seeds(500), {});
}

// What a compare-exchange expects is not in the record: which old values make it fail can't be told.
TEST(WeakMemoryClasses, CompareExchanges) {
  Shape shape{.threads = 2, .calls = 4, .locations = 2, .updates = true, .compare_exchanges = true, .fences = true};
  compare(shape, seeds(500), {1.2});
  shape.threads = 3, shape.calls = 2, shape.locations = 3;
  compare(shape, seeds(500), {1.2});
}

// The order of a fence and the operations with memory_order_seq_cst counts, whether or not anything is read otherwise.
TEST(WeakMemoryClasses, SequentialFences) {
  Shape shape{.threads = 2, .calls = 4, .locations = 2, .updates = true, .sequential = true, .fences = true};
  compare(shape, seeds(500), {1.25});
  shape.threads = shape.calls = 3;
  compare(shape, seeds(300), {1.25});
}

// --- against another tool: the numbers of executions that GenMC's tests expect under RC11 with modification orders
// (github.com/MPI-SWS/genmc, tests/correct, expected.rc11.mo.in of version 0.11.0)

constexpr unsigned kX = 0, kY = 1, kZ = 2;

using Calls = std::vector<Call>;
Call load(unsigned object, AtomicOrder order) { return {.kind = K::AtomicLoad, .object = object, .order = order}; }
Call store(unsigned object, AtomicOrder order) { return {.kind = K::AtomicStore, .object = object, .order = order}; }
Call update(unsigned object, AtomicOrder order) { return {.kind = K::AtomicUpdate, .object = object, .order = order}; }
const Call kFence{.kind = K::AtomicFence, .object = kWords, .order = kSequential};
const Call kLocalFence{.kind = K::AtomicFence, .object = kWords, .order = kBoth};

Reduced explored(const std::vector<Calls>& tasks) {
  Program program;
  program.weak = true;
  program.limits.fair = false;
  program.limits.stale = 1000;
  program.tasks = tasks;
  unsigned value = 0;
  for (Calls& calls : program.tasks)
    for (Call& call : calls) call.argument = ++value;
  Reduced reduced = reduce(program, 1);
  EXPECT_TRUE(reduced.complete);
  return reduced;
}

std::uint64_t executions(const std::vector<Calls>& tasks) {
  const Reduced reduced = explored(tasks);
  EXPECT_EQ(reduced.classes.size(), reduced.executions);
  EXPECT_EQ(reduced.asleep, 0u);
  return reduced.executions;
}

// With fences of memory_order_seq_cst some classes run more than once.
std::size_t classes(const std::vector<Calls>& tasks) { return explored(tasks).classes.size(); }

std::vector<Calls> times(unsigned count, const Calls& calls, std::vector<Calls> others = {}) {
  others.insert(others.end(), count, calls);
  return others;
}

TEST(WeakMemoryCounts, OfManyThreads) {
  const Calls read{load(kX, kAcquire)}, write{store(kX, kRelease)};
  EXPECT_EQ(executions(times(2, read, {write})), 4u) << "readers";
  EXPECT_EQ(executions(times(8, read, {write})), 256u);
  EXPECT_EQ(executions(times(5, write, {read})), 720u) << "N-writers";
  const unsigned long ainc[] = {2, 6, 24, 120, 720, 5040}, binc[] = {4, 36, 576}, cinc[] = {8, 216, 13824};
  for (unsigned n = 2; n <= 7; ++n) EXPECT_EQ(executions(times(n, {update(kX, kRelaxed)})), ainc[n - 2]) << n;
  for (unsigned n = 2; n <= 4; ++n) {
    EXPECT_EQ(executions(times(n, {update(kX, kRelaxed), update(kY, kRelaxed)})), binc[n - 2]) << n;
    const Calls three{update(kX, kRelaxed), update(kY, kRelaxed), update(kZ, kRelaxed)};
    EXPECT_EQ(executions(times(n, three)), cinc[n - 2]) << n;
  }
  const unsigned long coa[] = {4, 16, 144, 2304};
  for (unsigned n = 1; n <= 4; ++n) {
    const std::vector<Calls> two{{store(kX, kRelease), load(kY, kAcquire), load(kX, kAcquire)},
                                 {store(kX, kRelease), load(kZ, kAcquire), load(kX, kAcquire)}};
    EXPECT_EQ(executions(times(n - 1, {store(kY, kRelease), store(kZ, kRelease)}, two)), coa[n - 1]) << n;
  }
}

TEST(WeakMemoryCounts, OfLitmusTests) {
  const Calls write{store(kX, kRelease)}, read{load(kX, kAcquire)}, twice{load(kX, kAcquire), load(kX, kAcquire)};
  const auto sides = [](unsigned first, AtomicOrder stores, unsigned second, AtomicOrder loads) {
    return Calls{store(first, stores), load(second, loads)};
  };
  const auto pair = [](const Call& one, const Call& other) { return Calls{one, other}; };
  EXPECT_EQ(executions({sides(kX, kRelaxed, kY, kRelaxed), sides(kY, kRelaxed, kX, kRelaxed)}), 4u) << "SB";
  EXPECT_EQ(executions({sides(kX, kSequential, kY, kSequential), sides(kY, kSequential, kX, kSequential)}), 3u)
      << "SB+4sc";
  EXPECT_EQ(
      classes({{store(kX, kRelaxed), kFence, load(kY, kRelaxed)}, {store(kY, kRelaxed), kFence, load(kX, kRelaxed)}}),
      3u)
      << "SB+scfs";
  EXPECT_EQ(executions({pair(store(kX, kRelaxed), store(kY, kRelease)), pair(load(kY, kAcquire), load(kX, kRelaxed))}),
            3u)
      << "MP";
  EXPECT_EQ(executions({pair(load(kX, kRelaxed), store(kY, kRelaxed)), pair(load(kY, kRelaxed), store(kX, kRelaxed))}),
            3u)
      << "LB";
  EXPECT_EQ(
      executions({pair(store(kX, kRelaxed), store(kY, kRelaxed)), pair(store(kY, kRelaxed), store(kX, kRelaxed))}), 4u)
      << "2+2W";
  EXPECT_EQ(executions({write, write, twice, read}), 36u) << "CoRR1";
  EXPECT_EQ(executions({write, write, twice, twice}), 72u) << "CoRR2";
  EXPECT_EQ(executions({pair(store(kX, kRelaxed), store(kY, kRelease)), pair(load(kY, kAcquire), store(kZ, kRelease)),
                        pair(load(kZ, kAcquire), load(kX, kRelaxed))}),
            7u)
      << "isa2";
  EXPECT_EQ(executions({{update(kX, kRelaxed)},
                        {update(kX, kRelaxed)},
                        pair(load(kX, kRelaxed), load(kX, kRelaxed)),
                        {store(kX, kRelaxed)},
                        pair(load(kX, kRelaxed), load(kX, kRelaxed))}),
            600u)
      << "inc+inc+RR+W+RR";
  EXPECT_EQ(executions({pair(update(kX, kAcquire), update(kX, kRelaxed)),
                        pair(update(kX, kRelaxed), update(kX, kRelaxed)),
                        {update(kX, kRelease)},
                        {update(kX, kRelaxed)}}),
            180u)
      << "viktor-relseq";
  EXPECT_EQ(executions({{store(kX, kRelaxed), store(kY, kRelease), store(kY, kRelaxed)},
                        {update(kY, kRelaxed)},
                        {load(kY, kRelaxed), kLocalFence, load(kX, kRelaxed)}}),
            20u)
      << "relseq";
  EXPECT_EQ(classes({{store(kX, kRelaxed)},
                     {load(kX, kRelaxed), kFence, load(kY, kRelaxed)},
                     {store(kY, kRelaxed), kFence, load(kX, kRelaxed)}}),
            7u)
      << "RWC+syncs";
}

}  // namespace
}  // namespace heddle::test
