// Delay bounding against the enumeration by brute force: the same schedules, each once and with as many delays,
// whatever the order in which results come back.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <random>
#include <string>

#include "search/pretend_target.h"
#include "search/registry.h"
#include "search/seeds.h"

namespace heddle::test {
namespace {

constexpr unsigned kUnbounded = 1000;

std::unique_ptr<Strategy> delay_search(unsigned bound) {
  const StrategyEntry& entry = *find_strategy("delay");
  return entry.make(entry, {.own = {{"--max-delays", std::to_string(bound)}}});
}

// All choices at the present decision in the order of the deterministic scheduler.
std::vector<Choice> in_order(Run& run) {
  const model::Decision decision = run.decide();
  std::vector<Choice> choices = run.choices();
  const Call* last = run.call_of(decision.last);
  if (decision.switch_costs && last != nullptr && last->in_region)
    std::erase_if(choices, [&](Choice choice) { return choice.task != decision.last; });
  const unsigned tasks = run.world().population().task_count();
  const auto place = [&](Choice choice) {
    const unsigned turn = (choice.task + tasks - decision.choice.task) % tasks;
    const unsigned kind = choice.variant == kSpurious ? 2 : choice.variant == kTimeout ? 1 : 0;
    return std::tuple(turn, kind, choice.variant);
  };
  std::sort(choices.begin(), choices.end(), [&](Choice one, Choice other) { return place(one) < place(other); });
  EXPECT_TRUE(choices.empty() || choices.front() == decision.choice) << "the default comes first";
  return choices;
}

// Longer ones go round.
constexpr std::size_t kLongest = 200;

// Ends `schedule` in every way that takes at most `bound` delays in all; `spent` of them it has taken. Gives up, with
// `most` of them, where one is too long.
void enumerate_delays(const Program& program, Schedule& schedule, unsigned spent, unsigned bound, std::size_t most,
                      std::map<std::string, unsigned>& found) {
  if (found.size() >= most) return;
  for (unsigned number = 0; schedule.size() > kLongest && found.size() < most; ++number)
    found[std::to_string(number)] = spent;
  std::vector<Choice> choices;
  {
    Run run(program);
    for (const Choice choice : schedule) {
      run.decide();
      run.step(choice);
    }
    const bool over =
        run.world().population().live_tasks() == 0 || run.decide().status == model::Decision::Status::Deadlock;
    if (over) {
      found[text(schedule)] = spent;
      return;
    }
    choices = in_order(run);
  }
  for (unsigned cost = 0; cost < choices.size() && spent + cost <= bound; ++cost) {
    schedule.push_back(choices[cost]);
    enumerate_delays(program, schedule, spent + cost, bound, most, found);
    schedule.pop_back();
  }
}

std::map<std::string, unsigned> all_within(const Program& program, unsigned bound, std::size_t most) {
  std::map<std::string, unsigned> found;
  Schedule schedule;
  enumerate_delays(program, schedule, 0, bound, most, found);
  if (found.size() >= most) found.clear();
  return found;
}

struct Searched {
  std::vector<std::string> order;
  Coverage coverage;
};

Searched search(const Program& program, unsigned bound, std::size_t ahead = 1, std::uint64_t shuffle = 0) {
  const auto strategy = delay_search(bound);
  std::mt19937_64 draw(shuffle);
  std::deque<Execution> outstanding;
  Searched result;
  for (;;) {
    Next next = strategy->next();
    if (auto* plan = std::get_if<Plan>(&next)) {
      outstanding.push_back(execute(program, *plan));
      EXPECT_NE(outstanding.back().end.end, EndKind::Diverged) << program.text();
      result.order.push_back(text(schedule_of(outstanding.back())));
      if (outstanding.size() < ahead) continue;
    } else if (std::holds_alternative<Exhausted>(next)) {
      break;
    }
    if (outstanding.empty()) ADD_FAILURE() << "Wait without anything outstanding";
    if (outstanding.empty()) break;
    if (shuffle != 0) std::swap(outstanding.front(), outstanding[draw() % outstanding.size()]);
    strategy->learn(outstanding.front());
    outstanding.pop_front();
  }
  result.coverage = strategy->coverage();
  return result;
}

void expect_same(const std::map<std::string, unsigned>& expected, const Searched& found, unsigned bound,
                 const Program& program) {
  std::map<std::string, unsigned> times;
  unsigned last = 0;
  for (const std::string& schedule : found.order) {
    EXPECT_EQ(++times[schedule], 1u) << "run twice: " << schedule << program.text();
    const auto known = expected.find(schedule);
    if (known == expected.end()) {
      ADD_FAILURE() << schedule << "is not within the bound: " << program.text();
      return;
    }
    EXPECT_GE(known->second, last) << "fewest delays come first: " << program.text();
    last = known->second;
  }
  EXPECT_EQ(times.size(), expected.size()) << program.text();
  EXPECT_EQ(found.coverage.schedules_at_bound, expected.size());
  EXPECT_EQ(found.coverage.pending, 0u);
  EXPECT_EQ(found.coverage.lost, 0u);
  EXPECT_TRUE(found.coverage.complete || found.coverage.bound_proved == static_cast<int>(bound));
}

class DelaySearches : public testing::TestWithParam<unsigned> {};

TEST_P(DelaySearches, EveryScheduleWithinTheBoundOnce) {
  const unsigned bound = GetParam();
  std::size_t compared = 0;
  const Seeds range = seeds(300);
  for (std::uint64_t seed = range.first; seed < range.end && !HasFailure(); ++seed) {
    const Program whole = seed % 2 == 0 ? random_program(seed) : mixed_program(seed, seed % 4 == 1);
    const Program program = seed % 3 == 0 ? with_scopes(whole, seed, true) : whole;
    const auto expected = all_within(program, bound, 600);
    if (expected.empty()) continue;
    expect_same(expected, search(program, bound), bound, program);
    ++compared;
  }
  EXPECT_TRUE(compared > 50u || range.fuzzing) << compared;
}

INSTANTIATE_TEST_SUITE_P(Bounds, DelaySearches, testing::Values(0u, 1u, 2u, 3u, kUnbounded));

TEST(DelaySearch, OrderOfResultsDoesNotMatter) {
  for (std::uint64_t seed = 1; seed <= 100 && !HasFailure(); ++seed) {
    const Program program = random_program(seed);
    const auto expected = all_within(program, 2, 300);
    if (expected.empty()) continue;
    expect_same(expected, search(program, 2, 16, seed), 2, program);
  }
}

Program sections(unsigned tasks) {  // one section each, of one lock
  const std::vector<Call> calls{{OperationKind::MutexLock, 0}, {OperationKind::MutexUnlock, 0}};
  return {std::vector<std::vector<Call>>(tasks, calls), {}};
}

// The reason for this bound: with one delay there are about as many schedules as steps, and without any there is one.
TEST(DelaySearch, FewSchedulesOfManyThreads) {
  const auto one_delay = [](unsigned tasks) { return search(sections(tasks), 1).order.size(); };
  EXPECT_EQ(search(sections(8), 0).order.size(), 1u);
  EXPECT_LT(one_delay(8), 8 * 3 + 2u);
  EXPECT_LT(one_delay(16), 2 * one_delay(8) + 2);
}

TEST(DelaySearch, CompleteOnlyWithoutABoundThatCuts) {
  const Searched bounded = search(sections(2), 1);
  EXPECT_FALSE(bounded.coverage.complete);
  EXPECT_EQ(bounded.coverage.bound_proved, 1);
  EXPECT_TRUE(search(sections(2), kUnbounded).coverage.complete);
}

TEST(DelaySearch, LostPlansWithdrawTheirBoundAndAllHigherOnes) {
  const auto strategy = delay_search(kUnbounded);
  strategy->learn(execute(sections(2), std::get<Plan>(strategy->next())));
  strategy->lost(std::get<Plan>(strategy->next()).id);
  for (Next next = strategy->next(); std::holds_alternative<Plan>(next); next = strategy->next())
    strategy->learn(execute(sections(2), std::get<Plan>(next)));
  EXPECT_EQ(strategy->coverage().lost, 1u);
  EXPECT_FALSE(strategy->coverage().complete);
  EXPECT_EQ(strategy->coverage().bound_proved, 0);
}

}  // namespace
}  // namespace heddle::test
