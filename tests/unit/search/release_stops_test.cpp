// Stops behind releases: what they add to a bounded search, and that they change nothing else of it.
#include "search/release_stops.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "search/bounded.h"
#include "search/pretend_target.h"

namespace heddle::test {
namespace {

constexpr auto kPost = OperationKind::SemaphorePost;

struct Searched {
  std::set<std::string> without_stop;
  std::vector<Execution> with_stop;
  Coverage coverage;
};

bool has_stop(const Execution& execution) { return std::any_of(execution.steps.begin(), execution.steps.end(), stops); }

Searched search(const Program& program, unsigned at_each_place, unsigned bound, bool reduced = false) {
  BoundedSearch::Options options;
  options.max_preemptions = bound;
  options.reduce = options.reduce_preemptions = reduced;
  options.stops = {at_each_place, [](Site site) { return site != 9; }};
  BoundedSearch strategy(options);
  Searched result;
  for (Next next = strategy.next(); std::holds_alternative<Plan>(next); next = strategy.next()) {
    Execution execution = execute(program, std::get<Plan>(next));
    EXPECT_NE(execution.end.end, EndKind::Diverged) << program.text();
    strategy.learn(execution);
    if (has_stop(execution))
      result.with_stop.push_back(std::move(execution));
    else
      result.without_stop.insert(text(schedule_of(execution)));
  }
  result.coverage = strategy.coverage();
  return result;
}

Call post(unsigned semaphore, Site site) { return {.kind = kPost, .object = semaphore, .site = site}; }

Program posting_program(Site site) {
  Program program;
  program.tasks = {{post(0, site), post(1, 9)}, {post(2, 9), post(2, 9)}};
  return program;
}

TEST(ReleaseStops, ChangeNoOtherScheduleAndNoClaim) {
  std::size_t stopped = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const Program program = random_program(seed);
    for (const bool reduced : {false, true}) {
      const Searched plain = search(program, 0, 2, reduced), sampled = search(program, 3, 2, reduced);
      EXPECT_TRUE(plain.with_stop.empty());
      stopped += sampled.with_stop.size();
      EXPECT_EQ(plain.without_stop, sampled.without_stop) << program.text();
      EXPECT_EQ(plain.coverage.complete, sampled.coverage.complete) << program.text();
      EXPECT_EQ(plain.coverage.schedules_at_bound, sampled.coverage.schedules_at_bound) << program.text();
      // Where all was run without a preemption, the stops are all that there is with one.
      if (plain.coverage.complete) continue;
      EXPECT_EQ(plain.coverage.bound_proved, sampled.coverage.bound_proved) << program.text();
    }
  }
  EXPECT_GT(stopped, 100u);
}

// The other thread has two posts and its end to go: the one that has stopped may go on before each of them, and behind.
TEST(ReleaseStops, TheThreadGoesOnBeforeEachLaterStep) {
  std::map<unsigned, unsigned> others_between;  // how many steps; with how many preemptions at least
  for (const Execution& execution : search(posting_program(1), 100, 2).with_stop) {
    unsigned between = 0;
    bool stopped = false;
    for (const StepRecord& step : execution.steps) {
      if (goes_on_behind_release(step)) break;
      between += stopped ? 1 : 0;
      stopped |= stops(step);
    }
    const unsigned preemptions = execution.end.preemptions;
    const auto known = others_between.emplace(between, preemptions).first;
    known->second = std::min(known->second, preemptions);
  }
  const std::map<unsigned, unsigned> expected = {{0, 1}, {1, 2}, {2, 2}, {3, 1}};
  EXPECT_EQ(others_between, expected);
}

TEST(ReleaseStops, AreBoundedAtEachPlace) {
  for (const unsigned most : {1u, 4u}) {
    const Searched found = search(posting_program(1), most, 3);
    EXPECT_GE(found.with_stop.size(), most);
    EXPECT_LE(found.with_stop.size(), 5 * most);
  }
}

TEST(ReleaseStops, AreNotMadeWhereNobodyMayBeStopped) {
  EXPECT_TRUE(search(posting_program(9), 4, 3).with_stop.empty());
}

}  // namespace
}  // namespace heddle::test
