// The executor: several workers, changes of the isolation, checks of snapshots; with a target that speaks the protocol
// but is no runtime (fake_target.h).
#include "driver/execute/executor.h"

#include <gtest/gtest.h>

#include <map>

#include "driver/fake_target.h"

namespace heddle::test {
namespace {

using namespace std::chrono_literals;

class ExecutorTest : public testing::Test {
 protected:
  void start(const std::string& manner, IsolationChoice isolation, unsigned workers = 1) {
    target_ = fake_target(manner);
    options_.isolation = isolation;
    options_.workers = workers;
    executor_ = std::make_unique<Executor>(target_, options_);
  }

  // Runs plans 1 to `last`; the executions of each, and what else came is kept.
  std::map<PlanId, unsigned> run(PlanId last) {
    std::map<PlanId, unsigned> seen;
    for (PlanId next = 1; others_.empty();) {
      for (; next <= last && executor_->can_take(); ++next) executor_->submit({.id = next, .deltas = {}});
      if (executor_->outstanding() == 0 && !executor_->checking()) break;
      auto event = executor_->poll(60s);
      if (!event) {
        if (executor_->outstanding() == 0 && !executor_->checking()) break;  // the last was a check
        ADD_FAILURE() << "nothing came";
        break;
      }
      if (auto* finished = std::get_if<ExecutionFinished>(&*event)) {
        EXPECT_EQ(finished->plan.id, finished->execution->plan);
        EXPECT_EQ(finished->execution->end.end, EndKind::Exited);
        order_.push_back(finished->plan.id);
        ++seen[finished->plan.id];
      } else {
        others_.push_back(std::move(*event));
      }
    }
    for (std::string& text : executor_->take_notes()) notes_ += text + "\n";
    return seen;
  }

  // As the explore loop does: then it is run until two executions of it are alike.
  void submit_first_alone() {
    executor_->submit({.id = 1'000'000, .deltas = {}});
    std::optional<ExecutorEvent> event = executor_->poll(60s);
    ASSERT_TRUE(event && std::holds_alternative<ExecutionFinished>(*event));
  }

  void expect_each_once(const std::map<PlanId, unsigned>& seen, PlanId last) {
    EXPECT_EQ(seen.size(), last);
    for (const auto& [plan, times] : seen) EXPECT_EQ(times, 1u) << "plan " << plan;
    EXPECT_TRUE(others_.empty());
  }

  Report told() {
    Report report;
    executor_->tell(report);
    return report;
  }

  RunOptions options_;
  Target target_;
  std::unique_ptr<Executor> executor_;
  std::vector<PlanId> order_;
  std::vector<ExecutorEvent> others_;  // all that were no executions
  std::string notes_;
};

TEST_F(ExecutorTest, OneWorkerKeepsTheOrder) {
  start("passes", IsolationChoice::Fork);
  expect_each_once(run(1000), 1000);
  EXPECT_TRUE(std::is_sorted(order_.begin(), order_.end()));
  EXPECT_EQ(told().workers, 1u);
  EXPECT_EQ(told().isolation, "fork");
  EXPECT_EQ(notes_, "");
}

// Whatever of it the driver sees at once.
TEST_F(ExecutorTest, PlansThatCannotBeFollowedAreTriedAgainInTheirOrder) {
  for (const IsolationChoice isolation : {IsolationChoice::Fork, IsolationChoice::Exec}) {
    order_.clear();
    start("two_part", isolation);
    expect_each_once(run(8), 8);
    EXPECT_EQ(order_, (std::vector<PlanId>{1, 2, 3, 4, 7, 8, 5, 6}));
  }
}

TEST_F(ExecutorTest, SeveralWorkersRunEveryPlanOnce) {
  start("passes", IsolationChoice::Fork, 3);
  expect_each_once(run(6000), 6000);
  EXPECT_EQ(told().workers, 3u);
  EXPECT_EQ(notes_, "");
}

TEST_F(ExecutorTest, AShortSearchNeedsOneWorkerOnly) {
  start("passes", IsolationChoice::Fork, 3);
  expect_each_once(run(400), 400);
  EXPECT_EQ(told().workers, 1u);
}

TEST_F(ExecutorTest, AllOutputInOrderNeedsOneWorker) {
  options_.output = OutputMode::All;
  start("passes", IsolationChoice::Fork, 3);
  expect_each_once(run(2000), 2000);
  EXPECT_EQ(told().workers, 1u);
}

TEST_F(ExecutorTest, AFurtherWorkerThatCannotBeUsedIsLeftOut) {
  start("alone", IsolationChoice::Fork, 2);
  expect_each_once(run(3000), 3000);
  EXPECT_EQ(told().workers, 1u);
  EXPECT_NE(notes_.find("a further worker could not be used"), std::string::npos) << notes_;
}

TEST_F(ExecutorTest, AFurtherWorkerThatDoesSomethingElseIsLeftOut) {
  start("other_elsewhere", IsolationChoice::Fork, 2);
  submit_first_alone();
  run(3000);
  EXPECT_EQ(told().workers, 1u);
  EXPECT_NE(notes_.find("another process of the program would not do the same"), std::string::npos) << notes_;
  const auto instability = executor_->take_instability();
  ASSERT_TRUE(instability);
  EXPECT_TRUE(instability->other_process);
}

TEST_F(ExecutorTest, AnEffectLeadsToForks) {
  start("opens", IsolationChoice::Auto);
  expect_each_once(run(600), 600);
  EXPECT_EQ(told().isolation, "fork");
  EXPECT_NE(notes_.find("isolation: fork, from here on: "), std::string::npos) << notes_;
  EXPECT_NE(notes_.find("opens a file (openat)"), std::string::npos) << notes_;
}

TEST_F(ExecutorTest, ChangedFilesLeadToFreshStarts) {
  start("changes_files", IsolationChoice::Auto);
  expect_each_once(run(20), 20);
  EXPECT_EQ(told().isolation, "exec");
  EXPECT_NE(notes_.find("isolation: exec, from here on"), std::string::npos) << notes_;
}

TEST_F(ExecutorTest, AnIsolationThatWasAskedForIsTaken) {
  start("passes", IsolationChoice::Exec);
  expect_each_once(run(5), 5);
  EXPECT_EQ(told().isolation, "exec");
  start("passes", IsolationChoice::Snapshot);
  expect_each_once(run(50), 50);
  EXPECT_EQ(told().isolation, "snapshot");
}

TEST_F(ExecutorTest, ChecksThatPassAreNotSeen) {
  start("passes", IsolationChoice::Auto);
  expect_each_once(run(1000), 1000);
  EXPECT_EQ(told().isolation, "snapshot");
  EXPECT_EQ(notes_, "");
}

TEST_F(ExecutorTest, ACheckThatFailsBeginsAnew) {
  start("unfaithful", IsolationChoice::Auto);
  run(1000);
  ASSERT_EQ(others_.size(), 1u);
  const auto* restarted = std::get_if<Restarted>(&others_.front());
  ASSERT_NE(restarted, nullptr);
  EXPECT_NE(restarted->why.find("begins anew"), std::string::npos) << restarted->why;
  EXPECT_EQ(executor_->outstanding(), 0u) << "what was learned does not hold, so nothing of it is to be run";
  EXPECT_EQ(told().isolation, "fork");
  others_.clear();
  expect_each_once(run(500), 500);
}

TEST_F(ExecutorTest, ACheckThatFailsIsToldWhereSnapshotsWereAskedFor) {
  start("unfaithful", IsolationChoice::Snapshot);
  expect_each_once(run(100), 100);
  EXPECT_EQ(told().isolation, "snapshot");
  EXPECT_NE(notes_.find("snapshots are not faithful"), std::string::npos) << notes_;
}

TEST_F(ExecutorTest, AnEndBeforeBranchingIsPassedOn) {
  start("quiet", IsolationChoice::Auto, 4);
  run(10);
  ASSERT_EQ(others_.size(), 1u);
  const auto* ended = std::get_if<EndedBeforeBranching>(&others_.front());
  ASSERT_NE(ended, nullptr);
  EXPECT_EQ(ended->output, "hello\n");
}

TEST_F(ExecutorTest, LostPlansArePassedOn) {
  start("skips", IsolationChoice::Fork);
  run(6);
  ASSERT_EQ(others_.size(), 1u);
  const auto* lost = std::get_if<PlanLost>(&others_.front());
  ASSERT_NE(lost, nullptr);
  EXPECT_EQ(lost->plan, 3u);
}

}  // namespace
}  // namespace heddle::test
