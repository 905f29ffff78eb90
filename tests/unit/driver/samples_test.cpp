// Samples of executions that count as equivalent: what is compared, and what is said.
#include "driver/explore/samples.h"

#include <gtest/gtest.h>

#include <cstring>
#include <initializer_list>
#include <utility>

#include "driver/execute/plan_ids.h"

namespace heddle::test {
namespace {

constexpr std::uint64_t kBegin = 0x1000, kEnd = 0x2000;

struct Word {
  std::uint64_t address, value;
};

void add_memory(Execution& execution, std::initializer_list<Word> words, std::uint64_t end = kEnd) {
  std::string text;
  const auto append = [&](const auto& value) { text.append(reinterpret_cast<const char*>(&value), sizeof value); };
  for (const Word& word : words) {
    append(MemoryRun{word.address, 1});
    append(word.value);
  }
  append(MemoryRun{end, 0});
  // In two messages, as a long one would be.
  const std::size_t half = text.size() / 2;
  execution.messages.push_back({MessageKind::Memory, kNoTask, 0, text.substr(0, half)});
  execution.messages.push_back({MessageKind::Memory, kNoTask, 0, text.substr(half)});
}

// Two tasks that lock different mutexes, in this order.
Execution execution_of(std::initializer_list<TaskId> order, std::initializer_list<Word> words,
                       std::uint64_t end = kEnd) {
  Execution execution;
  execution.tasks.resize(2);
  execution.tasks[1].task = 1;
  for (const TaskId task : order) {
    StepRecord step;
    step.operation = OperationKind::MutexLock;
    step.task = task;
    step.object = task + 1u;
    step.flags = StepFlags::Wrote;
    execution.steps.push_back(step);
  }
  execution.end.end = EndKind::Exited;
  add_memory(execution, words, end);
  return execution;
}

Execution run(const Plan& plan, std::initializer_list<Word> words, std::uint64_t end = kEnd) {
  Execution execution = execution_of({}, {});
  execution =
      plan.deltas.front().choice.task == 1 ? execution_of({1, 0}, words, end) : execution_of({0, 1}, words, end);
  execution.plan = plan.id;
  return execution;
}

TEST(Samples, VariablesAreTakenOutOfTheRecord) {
  Execution execution = execution_of({0}, {{kBegin, 7}, {kBegin + 64, 9}});
  execution.messages.push_back({MessageKind::Note, kNoTask, 0, "stays"});
  const Variables variables = take_variables(execution);
  EXPECT_EQ(variables.end, kEnd);
  EXPECT_EQ(variables.words, (std::map<std::uint64_t, std::uint64_t>{{kBegin, 7}, {kBegin + 64, 9}}));
  ASSERT_EQ(execution.messages.size(), 1u);
  EXPECT_EQ(execution.messages[0].text, "stays");
  EXPECT_EQ(take_variables(execution).end, 0u) << "nothing is known";
}

TEST(Samples, ARecordThatIsCutOffIsReadAsFarAsItGoes) {
  Execution execution;
  const MemoryRun run{kBegin, 1'000'000'000};
  execution.messages.push_back(
      {MessageKind::Memory, kNoTask, 0, std::string(reinterpret_cast<const char*>(&run), sizeof run) + "12345678123"});
  const Variables variables = take_variables(execution);
  EXPECT_EQ(variables.words.size(), 1u);
  EXPECT_EQ(variables.end, 0u);
}

TEST(Samples, TheSameMemoryIsNothingToTellOf) {
  Samples samples(true);
  Execution first = execution_of({0, 1}, {{kBegin, 7}});
  const auto plan = samples.begin(Plan(), first, {});
  ASSERT_TRUE(plan);
  EXPECT_TRUE(plan->memory && is_sample(plan->id));
  EXPECT_EQ(plan->deltas.front().choice.task, 1);
  Execution other = run(*plan, {{kBegin, 7}});
  const auto finding = samples.learn(other, {});
  EXPECT_TRUE(finding.differs.empty() && !finding.next);
  EXPECT_EQ(samples.outstanding(), 0u);
}

TEST(Samples, DifferentMemoryIsToldWhenTheFirstOrderDoesTheSameAgain) {
  Samples samples(true);
  Execution first = execution_of({0, 1}, {{kBegin, 7}, {kBegin + 8, 1}});
  const auto plan = samples.begin(Plan(), first, {});
  ASSERT_TRUE(plan);
  Execution other = run(*plan, {{kBegin, 7}, {kBegin + 8, 2}});
  auto finding = samples.learn(other, {});
  ASSERT_TRUE(finding.next);
  EXPECT_EQ(finding.next->deltas.front().choice.task, 0);
  EXPECT_TRUE(finding.differs.empty());
  Execution again = run(*finding.next, {{kBegin, 7}, {kBegin + 8, 1}});
  finding = samples.learn(again, {});
  EXPECT_NE(finding.differs.find("was 1 or 2 at the end"), std::string::npos) << finding.differs;
}

// As where address randomization can't be switched off: the file lies elsewhere in each process.
TEST(Samples, MemoryIsComparedByItsPlaceInTheFile) {
  constexpr std::uint64_t kMoved = 0x30000, kMovedOnce = 0x50000;
  const auto loaded = [](std::uint64_t by) {
    ModuleMap modules;
    modules.add({"/tmp/test", kBegin + by, kBegin + by, kEnd + by});
    return modules;
  };
  for (const bool same : {true, false}) {
    Samples samples(true);
    Execution first = execution_of({0, 1}, {{kBegin + 16, 7}, {kBegin + 24, kBegin + 32}});
    const auto plan = samples.begin(Plan(), first, loaded(0));
    ASSERT_TRUE(plan);
    Execution other = run(*plan, {{kBegin + kMoved + 16, same ? 7u : 8u}, {kBegin + kMoved + 24, kBegin + kMoved + 32}},
                          kEnd + kMoved);
    auto finding = samples.learn(other, loaded(kMoved));
    ASSERT_EQ(finding.next.has_value(), !same);
    if (same) continue;
    Execution again =
        run(*finding.next, {{kBegin + kMovedOnce + 16, 7}, {kBegin + kMovedOnce + 24, kBegin + kMovedOnce + 32}},
            kEnd + kMovedOnce);
    finding = samples.learn(again, loaded(kMovedOnce));
    EXPECT_NE(finding.differs.find("test+0x10 was 7 or 8 at the end"), std::string::npos) << finding.differs;
  }
}

TEST(Samples, WhatLooksLikeAnAddressIsNotCompared) {
  for (const auto& [first_value, other_value] : {std::pair{kSomeAddress, std::uint64_t{17}}, {17, kSomeAddress}}) {
    Samples samples(true);
    Execution first = execution_of({0, 1}, {{kBegin, first_value}});
    const auto plan = samples.begin(Plan(), first, {});
    Execution other = run(*plan, {{kBegin, other_value}});
    const auto finding = samples.learn(other, {});
    EXPECT_TRUE(finding.differs.empty() && !finding.next) << first_value;
  }
}

TEST(Samples, WhatChangesByItselfIsNotTold) {
  Samples samples(true);
  Execution first = execution_of({0, 1}, {{kBegin, 1}});
  const auto plan = samples.begin(Plan(), first, {});
  Execution other = run(*plan, {{kBegin, 2}});
  const auto more = samples.learn(other, {}).next;
  ASSERT_TRUE(more);
  Execution again = run(*more, {{kBegin, 3}});
  EXPECT_TRUE(samples.learn(again, {}).differs.empty());
}

TEST(Samples, WhatWasNotLookedAtIsNotCompared) {
  Samples samples(true);
  Execution first = execution_of({0, 1}, {{kBegin, 1}});
  const auto plan = samples.begin(Plan(), first, {});
  Execution other = run(*plan, {});
  other.messages.clear();
  const auto finding = samples.learn(other, {});
  EXPECT_TRUE(finding.differs.empty() && !finding.next);
}

TEST(Samples, AnotherEndIsTold) {
  Samples samples(true);
  Execution first = execution_of({0, 1}, {});
  const auto plan = samples.begin(Plan(), first, {});
  Execution other = run(*plan, {});
  other.end.status = 256;
  const auto more = samples.learn(other, {}).next;
  ASSERT_TRUE(more);
  Execution again = run(*more, {});
  EXPECT_NE(samples.learn(again, {}).differs.find("ended differently"), std::string::npos);
}

TEST(Samples, ACrashOnTheWayIsAnotherEnd) {
  Samples samples(true);
  Execution first = execution_of({0, 1}, {});
  const auto plan = samples.begin(Plan(), first, {});
  Execution other = run(*plan, {});
  other.end.end = EndKind::Crashed;
  other.steps.pop_back();
  const auto more = samples.learn(other, {}).next;
  ASSERT_TRUE(more);
  Execution again = run(*more, {});
  EXPECT_NE(samples.learn(again, {}).differs.find("ended differently"), std::string::npos);
}

TEST(Samples, WhatComesFromOutsideSaysNothing) {
  Samples samples(true);
  Execution first = execution_of({0, 1}, {});
  first.messages.push_back({MessageKind::Input, kNoTask, 0, "a file"});
  EXPECT_FALSE(samples.begin(Plan(), first, {}));
}

TEST(Samples, TheMoreWereTakenTheMoreSeldom) {
  Samples samples(true);
  unsigned taken = 0;
  for (std::uint64_t number = 1; number <= 1'000'000; ++number) taken += samples.wants(number) ? 1 : 0;
  EXPECT_GT(taken, 200u);
  EXPECT_LT(taken, 400u);
}

}  // namespace
}  // namespace heddle::test
