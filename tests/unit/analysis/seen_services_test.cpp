// Services that nobody has declared, found in the steps of an execution that was cut off.
#include "analysis/seen_services.h"

#include <gtest/gtest.h>

#include "protocol/services.h"
#include "support/execution_builder.h"

namespace heddle {
namespace {

using test::ExecutionBuilder;

constexpr ObjectId kLock = 1, kOther = 2;
constexpr Site kSleep = 0x10, kTake = 0x20;
constexpr unsigned kEnough = kSeenServiceSteps / 2;  // rounds, of two steps each

// A thread that ticks, and main, which waits.
class Ticking {
 public:
  Ticking() : ticker_(builder_.task()) { builder_.pending(0, OperationKind::SemaphoreWait); }

  // `object`: whose lock it takes in each round; kNoObject: another one in each.
  Ticking& rounds(unsigned count, ObjectId object = kLock) {
    for (unsigned i = 0; i < count; ++i) {
      builder_.step(ticker_, OperationKind::Sleep, kNoObject, kSleep);
      builder_.step(ticker_, OperationKind::MutexLock, object == kNoObject ? 100 + i : object, kTake);
    }
    return *this;
  }
  Ticking& main_takes_a_step() {
    builder_.step(0, OperationKind::MutexLock, kOther, 0x30);
    return *this;
  }
  TaskId joins_the_ticker() {
    const TaskId task = builder_.task();
    builder_.pending(task, OperationKind::ThreadJoin, kNoObject, ticker_);
    return task;
  }
  void main_joins(TaskId task) {
    main().operation = OperationKind::ThreadJoin;
    main().held_by = task;
  }
  PendingRecord& main() { return builder_.execution.pending.front(); }
  std::optional<SeenServices> find() { return seen_services(builder_.end(EndKind::StepLimit)); }

 private:
  ExecutionBuilder builder_;
  TaskId ticker_;
};

TEST(SeenServices, AreThoseThatOnlyTick) {
  const auto seen = Ticking().main_takes_a_step().rounds(kEnough).find();
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->tasks, std::vector<TaskId>{1});
  EXPECT_EQ(seen->places, std::set<Site>{kSleep});
  EXPECT_EQ(seen->steps, 2u * kEnough);
}

TEST(SeenServices, AreNotSeenBeforeLong) { EXPECT_FALSE(Ticking().rounds(kEnough - 1).find()); }

TEST(SeenServices, LetNobodyGoOn) {
  EXPECT_FALSE(Ticking().rounds(kEnough).main_takes_a_step().rounds(kEnough - 1).find());
}

TEST(SeenServices, DoNothingNew) {
  EXPECT_FALSE(Ticking().rounds(kEnough).rounds(1, kOther).rounds(1).find());
  EXPECT_FALSE(Ticking().rounds(kEnough, kNoObject).find());
}

TEST(SeenServices, RunBesideOneThatWaitsForEver) {
  for (const auto state : {TaskState::Enabled, TaskState::Timeout, TaskState::Ended}) {
    Ticking ticking;
    ticking.rounds(kEnough).main().state = state;
    EXPECT_FALSE(ticking.find());
  }
}

TEST(SeenServices, AreNotWhatTheOtherWaitsFor) {
  Ticking joining;
  joining.rounds(kEnough).main_joins(1);
  EXPECT_FALSE(joining.find()) << "it waits for the end of the one that ticks";
  Ticking over_another;
  over_another.rounds(kEnough).main_joins(over_another.joins_the_ticker());
  EXPECT_FALSE(over_another.find());
}

}  // namespace
}  // namespace heddle
