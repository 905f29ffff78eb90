// Which plans are run once more, and what is concluded from what comes of them.
#include "driver/execute/checks.h"

#include <gtest/gtest.h>

#include "driver/execute/plan_ids.h"

namespace heddle::test {
namespace {

using Kind = Checks::Kind;

Execution execution_of(PlanId plan, unsigned steps, EndKind end = EndKind::Exited) {
  Execution execution;
  execution.plan = plan;
  execution.end.end = end;
  execution.end.steps = steps;
  StepRecord step;
  step.operation = OperationKind::Yield;
  for (unsigned i = 0; i < steps; ++i) execution.steps.push_back(step);
  return execution;
}

TEST(Checks, OwnProcessesAreCheckedMoreAndMoreSeldom) {
  Checks checks(0);
  std::vector<std::uint64_t> due;
  for (std::uint64_t finished = 1; finished <= 200; ++finished)
    if (checks.own_process_is_due(finished)) due.push_back(finished);
  EXPECT_EQ(due, (std::vector<std::uint64_t>{2, 8, 32, 128}));
}

TEST(Checks, AsManyPlansAreRunAgainAsWasAskedFor) {
  Checks checks(3);
  EXPECT_TRUE(checks.again_is_due());  // the first plan is run twice in any case
  EXPECT_TRUE(checks.again_is_due());
  EXPECT_FALSE(checks.again_is_due());
  EXPECT_FALSE(Checks(0).again_is_due());
}

TEST(Checks, APlanIsRunFromItsBeginningUnderAnIdOfItsOwn) {
  Checks checks(3);
  const Plan own = checks.begin({.id = 7, .deltas = {}}, execution_of(7, 2), Kind::OwnProcess);
  EXPECT_TRUE(is_check(own.id) && own.own_process && own.afresh);
  const Plan again = checks.begin({.id = 7, .deltas = {}}, execution_of(7, 2), Kind::Again);
  EXPECT_TRUE(is_check(again.id) && !again.own_process && again.afresh);
  EXPECT_NE(own.id, again.id);
}

TEST(Checks, WhatDiffersTwiceInTheSameWayIsTheSnapshotsDoing) {
  Checks checks(3);
  const Plan own = checks.begin({.id = 7, .deltas = {}}, execution_of(7, 2), Kind::OwnProcess);
  Checks::Finding finding = checks.judge(execution_of(own.id, 3), false);
  ASSERT_TRUE(finding.next);
  EXPECT_TRUE(finding.next->own_process);
  EXPECT_FALSE(finding.differs);
  finding = checks.judge(execution_of(finding.next->id, 3), false);
  EXPECT_NE(finding.unfaithful, "");
  EXPECT_FALSE(finding.differs);
}

TEST(Checks, WhatDiffersEachTimeIsTheProgramsDoing) {
  Checks checks(3);
  const Plan own = checks.begin({.id = 7, .deltas = {}}, execution_of(7, 2), Kind::OwnProcess);
  Checks::Finding finding = checks.judge(execution_of(own.id, 3), false);
  ASSERT_TRUE(finding.next);
  finding = checks.judge(execution_of(finding.next->id, 4), false);
  EXPECT_EQ(finding.unfaithful, "");
  EXPECT_TRUE(finding.differs);
  EXPECT_EQ(finding.expected.steps.size(), 3u);
}

TEST(Checks, AFurtherWorkerThatDiffersIsToldFromTheSameOne) {
  for (const Kind kind : {Kind::Again, Kind::NewWorker}) {
    Checks checks(3);
    const Plan plan = checks.begin({.id = 7, .deltas = {}}, execution_of(7, 2), kind);
    const Checks::Finding finding = checks.judge(execution_of(plan.id, 1), false);
    EXPECT_TRUE(finding.differs);
    EXPECT_EQ(finding.other_process, kind == Kind::NewWorker);
  }
}

TEST(Checks, WhatWasEndedFromOutsideOrIsLostSaysNothing) {
  Checks checks(3);
  const Plan killed = checks.begin({.id = 7, .deltas = {}}, execution_of(7, 2), Kind::Again);
  EXPECT_FALSE(checks.judge(execution_of(killed.id, 1, EndKind::Killed), false).differs);
  const Plan lost = checks.begin({.id = 7, .deltas = {}}, execution_of(7, 2), Kind::Again);
  checks.lose(lost.id);
  EXPECT_FALSE(checks.judge(execution_of(lost.id, 1), false).differs);
  const Plan known = checks.begin({.id = 7, .deltas = {}}, execution_of(7, 2), Kind::Again);
  EXPECT_FALSE(checks.judge(execution_of(known.id, 1), true).differs) << "it is known already";
}

}  // namespace
}  // namespace heddle::test
