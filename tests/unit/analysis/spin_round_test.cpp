// The loop of a thread that never yields, found in the steps of an execution.
#include "analysis/spin_round.h"

#include <gtest/gtest.h>

#include "support/execution_builder.h"

namespace heddle {
namespace {

using test::ExecutionBuilder;

constexpr ObjectId kLock = 1, kOther = 2;

// A thread that goes round, and another one that could go on.
class Spinning {
 public:
  Spinning() : spinner_(builder_.task()), other_(builder_.task()) {
    builder_.execution.changes.push_back({0, other_, TaskState::Enabled | TaskState::Eligible});
  }
  Spinning& step(OperationKind kind, Site site, ObjectId object = kLock) {
    builder_.step(spinner_, kind, object, site);
    return *this;
  }
  Spinning& rounds(unsigned count, OperationKind last = OperationKind::MutexUnlock) {
    for (unsigned i = 0; i < count; ++i) step(OperationKind::MutexLock, 0x10).step(last, 0x20);
    return *this;
  }
  std::optional<SpinRound> find() { return spin_round_of(builder_.end(EndKind::StepLimit)); }

 private:
  ExecutionBuilder builder_;
  TaskId spinner_, other_;
};

TEST(SpinRound, HasThePeriodOfTheLoop) {
  Spinning spinning;
  for (unsigned i = 0; i < 10; ++i) spinning.step(OperationKind::MutexLock, 0x100 + i, kOther);
  const auto round = spinning.rounds(2000).find();
  ASSERT_TRUE(round);
  EXPECT_EQ(round->period, 2u);
  EXPECT_EQ(round->first, 10u);
}

TEST(SpinRound, IsNamedByThePlaceThatOthersUseLeast) {
  Spinning spinning;
  for (unsigned i = 0; i < 10; ++i) spinning.step(OperationKind::MutexLock, 0x10, kOther);
  const auto round = spinning.rounds(2000).find();
  ASSERT_TRUE(round);
  EXPECT_EQ(round->step % 2, 1u);  // the unlock at 0x20
}

TEST(SpinRound, WhoYieldsIsNotToBlame) { EXPECT_FALSE(Spinning().rounds(2000, OperationKind::Yield).find()); }

TEST(SpinRound, AFewRoundsAreNone) { EXPECT_FALSE(Spinning().rounds(100).find()); }

TEST(SpinRound, WhatIsNeverTheSameIsNoRound) {
  Spinning spinning;
  for (unsigned i = 0; i < 5000; ++i) spinning.step(OperationKind::MutexLock, 0x10, 3 + i);
  EXPECT_FALSE(spinning.find());
}

TEST(SpinRound, OneRoundIsEnoughWhereItIsProved) {
  ExecutionBuilder builder;
  const TaskId spinner = builder.task(), other = builder.task();
  builder.execution.changes.push_back({0, other, TaskState::Enabled | TaskState::Eligible});
  builder.step(spinner, OperationKind::MutexLock, kOther, 0x30);
  for (const Site site : {0x10, 0x20}) builder.step(spinner, OperationKind::MutexTryLock, kLock, site);
  Execution execution = builder.end(EndKind::GoodSamaritan);
  execution.end.loop_from = 1;
  const auto round = spin_round_of(execution);
  ASSERT_TRUE(round);
  EXPECT_EQ(round->period, 2u);
}

TEST(SpinRound, NobodyWaitsForOneWhoIsAlone) {
  ExecutionBuilder builder;
  const TaskId alone = builder.task();
  for (unsigned i = 0; i < 5000; ++i) builder.step(alone, OperationKind::MutexTryLock, kLock, 0x10);
  EXPECT_FALSE(spin_round_of(builder.end(EndKind::StepLimit)));
}

}  // namespace
}  // namespace heddle
