// A schedule's deltas by place: which there are, and where they are in the execution of an edited program.
#include "analysis/placed_deltas.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

using What = FoundDelta::What;

constexpr std::uint8_t kGoes = TaskState::Enabled | TaskState::Eligible;

// An execution that is written down step by step.
class Written {
 public:
  explicit Written(unsigned threads) {
    for (unsigned i = 0; i < threads; ++i) {
      placed.threads.push_back(i == 0 ? "main" : "add " + std::to_string(i));
      state(static_cast<TaskId>(i), kGoes);
    }
  }
  // From the next step on.
  Written& state(TaskId task, std::uint8_t state) {
    execution.changes.push_back({static_cast<std::uint32_t>(execution.steps.size()), task, state});
    return *this;
  }
  Written& step(TaskId task, OperationKind operation, const std::string& text, Variant variant = 0) {
    StepRecord record;
    record.task = task;
    record.operation = operation;
    record.variant = variant;
    execution.steps.push_back(record);
    placed.steps.push_back({task, operation, line(text)});
    return *this;
  }
  Written& pending(TaskId task, OperationKind operation, const std::string& text) {
    placed.pending.push_back({task, operation, line(text)});
    return *this;
  }
  // "function: text"
  static SourceLine line(const std::string& text) {
    const auto colon = text.find(": ");
    if (colon == text.npos) return {};
    return {"a.c", text.substr(0, colon), text.substr(colon + 2), 1};
  }
  auto deltas() const { return deltas_by_place(execution, placed, execution.steps.size()); }
  FoundDelta find(const PlacedDelta& delta, std::uint32_t first = 0) const {
    return find_delta(delta, execution, placed, first);
  }

  Execution execution;
  PlacedExecution placed;
};

constexpr auto kLock = OperationKind::MutexLock, kUnlock = OperationKind::MutexUnlock;

// Thread 1 is preempted before its second lock.
Written lost_update() {
  return Written(3)
      .state(0, 0)
      .step(1, kLock, "add: lock(m)")
      .step(1, kUnlock, "add: unlock(m)")
      .step(2, kLock, "add: lock(m)")
      .step(2, kUnlock, "add: unlock(m)")
      .step(1, kLock, "add: lock(m)")
      .pending(2, OperationKind::ThreadExit, "");
}
// The same by default.
Written by_default() {
  return Written(3)
      .state(0, 0)
      .step(1, kLock, "add: lock(m)")
      .step(1, kUnlock, "add: unlock(m)")
      .step(1, kLock, "add: lock(m)")
      .step(1, kUnlock, "add: unlock(m)")
      .state(1, TaskState::Ended)
      .step(2, kLock, "add: lock(m)");
}
PlacedDelta preempted() { return {{1, "add 1"}, kLock, Written::line("add: lock(m)"), 1, {2, "add 2"}, 0}; }

TEST(PlacedDeltas, DefaultsAreNone) { EXPECT_EQ(by_default().deltas()->size(), 0u); }

TEST(PlacedDeltas, APreemptionAndTheWayBack) {
  const auto deltas = lost_update().deltas();
  ASSERT_TRUE(deltas);
  ASSERT_EQ(deltas->size(), 2u);
  EXPECT_EQ(deltas->front(), preempted());
  EXPECT_EQ(deltas->back(), (PlacedDelta{{2, "add 2"}, OperationKind::ThreadExit, {}, 0, {1, "add 1"}, 0}));
}

TEST(PlacedDeltas, WhatWasPendingAtTheEnd) {
  Written written(2);
  written.step(1, kLock, "add: lock(m)").pending(0, OperationKind::ThreadJoin, "main: join(t)");
  const auto deltas = written.deltas();
  ASSERT_TRUE(deltas);
  ASSERT_EQ(deltas->size(), 1u);
  EXPECT_EQ(deltas->front().thread.name, "main");
  EXPECT_EQ(deltas->front().place.text, "join(t)");
  EXPECT_FALSE(Written(2).step(1, kLock, "add: lock(m)").deltas());  // what main would have done is not known
}

TEST(PlacedDeltas, TheOnlyTimeoutIsTheDefault) {
  Written written(2);
  written.state(0, TaskState::Timeout | TaskState::Earliest).state(1, TaskState::Timeout);
  written.step(0, OperationKind::ConditionWait, "main: wait", kTimeout);
  EXPECT_EQ(written.deltas()->size(), 0u);
}

TEST(PlacedDeltas, AnotherTimeoutIsADelta) {
  Written written(2);
  written.state(0, TaskState::Timeout | TaskState::Earliest).state(1, TaskState::Timeout);
  written.step(1, OperationKind::ConditionWait, "add: wait", kTimeout).pending(0, kLock, "main: lock");
  const auto deltas = written.deltas();
  ASSERT_TRUE(deltas && deltas->size() == 1);
  EXPECT_EQ(deltas->front().variant, kTimeout);
}

TEST(PlacedDeltas, FoundWhereItWas) {
  const FoundDelta found = by_default().find(preempted());
  EXPECT_EQ(found.what, What::Found);
  EXPECT_EQ(found.delta, (Delta{2, {2, 0}}));
  EXPECT_FALSE(found.is_near);
}

TEST(PlacedDeltas, FoundBehindNewSteps) {
  Written edited(3);
  edited.state(0, 0)
      .step(1, kLock, "log: lock(l)")
      .step(1, kUnlock, "log: unlock(l)")
      .step(1, kLock, "add: lock(m)")
      .step(1, kUnlock, "add: unlock(m)")
      .step(1, kLock, "add: lock(m)");
  EXPECT_EQ(edited.find(preempted()).delta.step, 4u);
}

TEST(PlacedDeltas, TheNearestOccurrence) {
  Written once(3);
  once.step(1, kUnlock, "add: unlock(m)").step(1, kLock, "add: lock(m)");
  const FoundDelta found = once.find(preempted());
  EXPECT_EQ(found.what, What::Found);
  EXPECT_EQ(found.delta.step, 1u);
  EXPECT_TRUE(found.is_near);
}

TEST(PlacedDeltas, InTheSameFunctionOrAtTheSameText) {
  for (const char* where : {"add: guard lock(m)", "increase: lock(m)"}) {
    const FoundDelta found = Written(3).step(1, kLock, where).find(preempted());
    EXPECT_EQ(found.what, What::Found) << where;
    EXPECT_TRUE(found.is_near);
  }
}

TEST(PlacedDeltas, NotThereAnyMore) {
  EXPECT_EQ(Written(3).step(1, kLock, "increase: guard lock(m)").find(preempted()).what, What::NoPlace);
  EXPECT_EQ(Written(3).step(1, kUnlock, "add: lock(m)").find(preempted()).what, What::NoPlace);
  EXPECT_EQ(Written(3).step(2, kLock, "add: lock(m)").find(preempted()).what, What::NoPlace);
  EXPECT_EQ(Written(2).step(1, kLock, "add: lock(m)").find(preempted()).what, What::NoThread);
}

TEST(PlacedDeltas, TheOtherThreadCannotGoOn) {
  EXPECT_EQ(Written(3).state(2, 0).step(1, kLock, "add: lock(m)").find(preempted()).what, What::Impossible);
  EXPECT_EQ(by_default().find(preempted(), 3).what, What::Impossible);  // it comes before the others only
}

TEST(PlacedDeltas, ThreadsByTheirNamesFirst) {
  Written written(4);
  written.placed.threads = {"main", "log", "add 1", "add 2"};
  written.step(2, kLock, "add: lock(m)");
  EXPECT_EQ(written.find(preempted()).delta, (Delta{0, {3, 0}}));
  written.placed.threads = {"main", "other", "another", "third"};
  written.step(1, kLock, "add: lock(m)");
  EXPECT_EQ(written.find(preempted()).delta, (Delta{1, {2, 0}}));  // by numbers
}

TEST(PlacedDeltas, AsJson) {
  PlacedDelta delta = preempted();
  EXPECT_EQ(placed_delta_of(json_of(delta)), delta);
  delta.variant = kTimeout;
  delta.place = {};
  EXPECT_EQ(placed_delta_of(json_of(delta)), delta);
  auto json = json_of(delta);
  json["occurrence"] = 0;
  EXPECT_FALSE(placed_delta_of(json));
  EXPECT_FALSE(placed_delta_of(nlohmann::ordered_json::parse("[3]")));
}

}  // namespace
}  // namespace heddle
