// From which steps random continuations start, and what they say, without executions.
#include "driver/explore/continuations.h"

#include <gtest/gtest.h>

#include <functional>

namespace heddle::test {
namespace {

Execution schedule(std::uint32_t steps) {
  Execution execution;
  for (std::uint32_t i = 0; i < steps; ++i) {
    StepRecord step{};
    step.task = static_cast<TaskId>(i % 2);
    execution.steps.push_back(step);
  }
  execution.end.steps = steps;
  execution.end.end = EndKind::Exited;
  return execution;
}

struct Looked {
  Moment moment;
  unsigned runs = 0;
};

// `share` of the continuations from behind so many steps fail. The others do what the failing one does for one more
// step, and then something else.
Looked look(std::uint32_t steps, const std::function<double(std::uint32_t)>& share, unsigned most = UINT32_MAX) {
  Looked result;
  Continuations continuations;
  const Execution failure = schedule(steps);
  continuations.begin(failure, steps, {});
  std::vector<double> due(steps + 1, 0);
  while (result.runs < most) {
    const auto plan = continuations.next(1000);
    if (!plan) break;
    ++result.runs;
    const auto prefix = static_cast<std::uint32_t>(plan->deltas.size());
    for (std::uint32_t i = 0; i < prefix; ++i) {
      EXPECT_EQ(plan->deltas[i].step, i);
      EXPECT_EQ(plan->deltas[i].choice.task, i % 2);
    }
    EXPECT_EQ(plan->policy, PolicyKind::Random);
    due[prefix] += share(prefix);
    const bool failed = due[prefix] >= 1;
    if (failed) due[prefix] -= 1;
    Execution execution = schedule(steps);
    if (!failed && prefix + 1 < steps) execution.steps[prefix + 1].task = 7;
    continuations.learn(prefix, failed, !failed, execution);
  }
  result.moment = continuations.result();
  return result;
}

TEST(Continuations, FindTheStepThatDecidesAmongMany) {
  const Looked looked = look(5'000, [](std::uint32_t steps) { return steps > 1'234 ? 1.0 : 0.05; });
  const auto decisive = looked.moment.decisive(schedule(5'000).steps);
  ASSERT_TRUE(decisive);
  EXPECT_EQ(decisive->step, 1'234u);
  EXPECT_EQ(decisive->before.failed, 5u);
  EXPECT_EQ(decisive->behind.failed, decisive->behind.runs);
  EXPECT_LE(looked.runs, 1'000u);
  ASSERT_TRUE(looked.moment.passing);
  EXPECT_EQ(looked.moment.passing->step, 1'235u);
  EXPECT_EQ(looked.moment.passing->task, 7u);
}

// A thread that starts decides less than what it does then.
TEST(Continuations, TheLastStepOfAThreadThatMakesItLikelierDecides) {
  Execution execution = schedule(6);
  for (const std::size_t step : {2, 3, 4}) execution.steps[step].task = 5;
  const Moment moment{{{1, 100, 6}, {2, 100, 6}, {3, 100, 84}, {4, 100, 100}, {5, 100, 100}}, {}};
  const auto decisive = moment.decisive(execution.steps);
  ASSERT_TRUE(decisive);
  EXPECT_EQ(decisive->step, 3u);
  EXPECT_EQ(decisive->before.steps, 2u);
  execution.steps[3].task = 1;  // another thread: the jump counts
  EXPECT_EQ(moment.decisive(execution.steps)->step, 2u);
}

TEST(Continuations, NoStepDecidesWhatBecomesLikelySlowly) {
  const Looked looked = look(40, [](std::uint32_t steps) { return steps / 40.0; });
  EXPECT_FALSE(looked.moment.decisive(schedule(5'000).steps));
  EXPECT_EQ(looked.moment.curve.front().failed, 0u);
  EXPECT_EQ(looked.moment.curve.back().failed, looked.moment.curve.back().runs);
}

TEST(Continuations, WhatAlwaysFailsHasNoPassingSchedule) {
  const Looked looked = look(10, [](std::uint32_t) { return 1.0; });
  EXPECT_FALSE(looked.moment.decisive(schedule(5'000).steps));
  EXPECT_FALSE(looked.moment.passing);
  EXPECT_DOUBLE_EQ(looked.moment.curve.front().share(), 1);
}

TEST(Continuations, FewSayNothing) {
  EXPECT_TRUE(look(
                  10, [](std::uint32_t steps) { return steps > 3 ? 1.0 : 0; }, 40)
                  .moment.curve.empty());
}

// The first round ended, and the next one has not begun to say anything.
TEST(Continuations, AStepThatIsNotKnownExactlyIsNotNamed) {
  const Looked looked = look(
      5'000, [](std::uint32_t steps) { return steps > 1'234 ? 1.0 : 0; }, 200);
  EXPECT_FALSE(looked.moment.curve.empty());
  EXPECT_FALSE(looked.moment.decisive(schedule(5'000).steps));
}

}  // namespace
}  // namespace heddle::test
