// Workers, with a target that speaks the protocol but is no runtime (fake_target.h).
#include "driver/execute/worker.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include "driver/execute/ended_early.h"
#include "driver/fake_target.h"
#include "trace/assert.h"

namespace heddle::test {
namespace {

using namespace std::chrono_literals;

class WorkerTest : public testing::Test {
 protected:
  void start(const std::string& manner, IsolationKind isolation = IsolationKind::Fork) {
    target_ = fake_target(manner);
    options_.execution_timeout_s = 1.5;
    worker_ = std::make_unique<Worker>(WorkerOptions{{target_, options_, isolation, -1}, 128});
  }

  void submit(PlanId first, PlanId last) {
    for (PlanId id = first; id <= last; ++id) worker_->submit({.id = id, .deltas = {}});
  }

  template <typename Event>
  Event expect_event() {
    auto event = worker_->poll(60s);
    EXPECT_TRUE(event.has_value()) << "nothing came";
    EXPECT_TRUE(event && std::holds_alternative<Event>(*event)) << (event ? event->index() : 99);
    if (event && std::holds_alternative<Event>(*event)) return std::move(std::get<Event>(*event));
    Event none;
    if constexpr (std::is_same_v<Event, ExecutionFinished>)
      none.execution = {std::make_unique<Execution>(), std::make_shared<LoanDesk>()};
    return none;
  }

  bool has_note(const std::string& part) {
    for (const std::string& note : worker_->take_notes())
      if (note.find(part) != std::string::npos) return true;
    return false;
  }

  RunOptions options_;
  Target target_;
  std::unique_ptr<Worker> worker_;
};

TEST_F(WorkerTest, RunsPlansInOrder) {
  start("passes");
  submit(1, 128);
  EXPECT_FALSE(worker_->can_take());
  for (PlanId id = 1; id <= 128; ++id) {
    const auto finished = expect_event<ExecutionFinished>();
    EXPECT_EQ(finished.execution->plan, id);
    EXPECT_EQ(finished.plan.id, id);
    EXPECT_EQ(finished.execution->steps.size(), 2u);
    EXPECT_TRUE(finished.execution->output.empty()) << "not wanted when all went well";
  }
  EXPECT_EQ(worker_->outstanding(), 0u);
  EXPECT_TRUE(is_branching(worker_->session()));
}

TEST_F(WorkerTest, WhatWasKilledOnItsWayIsStartedAgain) {
  for (const IsolationKind isolation : {IsolationKind::Fork, IsolationKind::Exec}) {
    start("killed_once", isolation);
    submit(1, 1);
    EXPECT_EQ(expect_event<ExecutionFinished>().execution->plan, 1u);
    EXPECT_TRUE(has_note("is started again"));
  }
}

TEST_F(WorkerTest, NotForEver) {
  start("killed_always", IsolationKind::Exec);
  submit(1, 1);
  EXPECT_TRUE(WIFSIGNALED(expect_event<EndedBeforeBranching>().status));
}

TEST_F(WorkerTest, PlansLargerThanTheRingWaitTheirTurn) {
  start("passes");
  Deltas many(100'000);
  for (std::uint32_t i = 0; i < many.size(); ++i) many[i].step = i;
  for (PlanId id = 1; id <= 6; ++id) worker_->submit({.id = id, .deltas = many});
  for (PlanId id = 1; id <= 6; ++id) EXPECT_EQ(expect_event<ExecutionFinished>().execution->plan, id);
}

TEST_F(WorkerTest, KeepsTheOutputOfEachFailure) {
  start("fails");
  submit(1, 5);
  for (PlanId id = 1; id <= 5; ++id)
    EXPECT_EQ(expect_event<ExecutionFinished>().execution->output, "output of plan " + std::to_string(id) + "\n");
}

TEST_F(WorkerTest, AZygoteThatDiesIsReplaced) {
  start("dies");
  submit(1, 6);
  for (PlanId id = 1; id <= 6; ++id) {
    const auto finished = expect_event<ExecutionFinished>();
    EXPECT_EQ(finished.execution->plan, id);
    EXPECT_EQ(finished.execution->end.end, id == 3 ? EndKind::Killed : EndKind::Exited);
    EXPECT_EQ(finished.ended_because, "");
  }
}

TEST_F(WorkerTest, AnAssertionThatFailsInTheTargetIsOneOfOurs) {
  start("fails_an_assertion");
  submit(1, 4);
  for (PlanId id = 1; id <= 2; ++id) EXPECT_EQ(expect_event<ExecutionFinished>().plan.id, id);
  try {
    worker_->poll(60s);
    ADD_FAILURE() << "nothing was thrown";
  } catch (const AssertionFailed& error) {
    EXPECT_NE(std::string(error.what()).find("a task is in one queue (n < 2, at src/model/queue.cpp:9)"),
              std::string::npos);
  }
}

TEST_F(WorkerTest, GivesUpOnAZygoteThatAlwaysDies) {
  start("dies_always");
  submit(1, 10);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(expect_event<ExecutionFinished>().execution->end.end, EndKind::Killed);
  EXPECT_NE(expect_event<WorkerFailed>().message.find("3 times in a row"), std::string::npos);
}

TEST_F(WorkerTest, PlansWithoutARecordAreLost) {
  start("skips");
  submit(1, 4);
  EXPECT_EQ(expect_event<ExecutionFinished>().execution->plan, 1u);
  EXPECT_EQ(expect_event<ExecutionFinished>().execution->plan, 2u);
  EXPECT_EQ(expect_event<PlanLost>().plan, 3u);
  EXPECT_EQ(expect_event<ExecutionFinished>().execution->plan, 4u);
}

TEST_F(WorkerTest, AnEndBeforeBranchingTellsWhatWasPrinted) {
  start("quiet");
  submit(1, 1);
  const auto ended = expect_event<EndedBeforeBranching>();
  EXPECT_EQ(WEXITSTATUS(ended.status), 5);
  EXPECT_EQ(ended.output, "hello\n");
  EXPECT_EQ(ended.preloaded_processes, 1u);
  EXPECT_NE(explain(ended).find("with status 5 before it created a thread"), std::string::npos);
}

TEST_F(WorkerTest, WaitingForEverBeforeBranchingIsEndedAndNamed) {
  start("never_branches");
  submit(1, 1);
  const auto ended = expect_event<EndedBeforeBranching>();
  EXPECT_NE(ended.why.find("--execution-timeout"), std::string::npos);
  EXPECT_TRUE(has_note("blocked in the kernel: pause at fake_target.cpp:"));
}

TEST_F(WorkerTest, AnExecutionBlockedInTheKernelIsNamedAndEnded) {
  start("hangs");
  submit(1, 2);
  for (int i = 0; i < 2; ++i) {
    const auto finished = expect_event<ExecutionFinished>();
    EXPECT_EQ(finished.execution->end.end, EndKind::Killed);
    EXPECT_NE(finished.ended_because.find("--execution-timeout"), std::string::npos);
  }
  EXPECT_TRUE(has_note("blocked in the kernel: pause at fake_target.cpp:"));
}

TEST_F(WorkerTest, AnExecutionThatBurnsTimeIsNamedAndEnded) {
  start("burns");
  submit(1, 1);
  EXPECT_NE(expect_event<ExecutionFinished>().ended_because, "");
  EXPECT_TRUE(has_note("used processor time"));
}

TEST_F(WorkerTest, ScribblingIntoTheRegionIsNoticed) {
  start("scribbles");
  submit(1, 1);
  const auto event = worker_->poll(60s);
  ASSERT_TRUE(event.has_value());
  const auto* finished = std::get_if<ExecutionFinished>(&*event);
  ASSERT_TRUE(finished != nullptr || std::holds_alternative<WorkerFailed>(*event));
  if (finished != nullptr) {
    EXPECT_EQ(finished->execution->end.end, EndKind::Killed);
  }
}

TEST_F(WorkerTest, ExecIsolationStartsAfreshForEveryPlan) {
  start("exits_with_3", IsolationKind::Exec);
  for (PlanId id = 1; id <= 5; ++id) {
    ASSERT_TRUE(worker_->can_take());
    submit(id, id);
    EXPECT_FALSE(worker_->can_take());
    const auto finished = expect_event<ExecutionFinished>();
    EXPECT_EQ(finished.execution->plan, id);
    EXPECT_EQ(finished.execution->end.end, EndKind::Exited);
    EXPECT_EQ(WEXITSTATUS(finished.execution->end.status), 3);
    EXPECT_EQ(finished.execution->end.steps, 2u);
    EXPECT_EQ(finished.execution->output, "on its own\n");
  }
}

TEST_F(WorkerTest, AProgramThatCannotBeStarted) {
  target_ = fake_target("passes");
  target_.path = "/nonexistent/program";
  worker_ = std::make_unique<Worker>(WorkerOptions{{target_, options_, IsolationKind::Fork, -1}, 128});
  submit(1, 1);
  EXPECT_NE(expect_event<WorkerFailed>().message.find("/nonexistent/program"), std::string::npos);
}

TEST_F(WorkerTest, NothingIsLeftBehind) {
  start("hangs");
  submit(1, 1);
  EXPECT_FALSE(worker_->poll(300ms).has_value());
  worker_.reset();
  errno = 0;
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

}  // namespace
}  // namespace heddle::test
