// The explore loop, with a target that speaks the protocol but is no runtime (fake_target.h).
#include "driver/explore/explore.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "driver/execute/replay.h"
#include "driver/fake_target.h"
#include "trace/assert.h"

namespace heddle::test {
namespace {

struct Seen : Observer {
  void on_progress(const Progress& progress) override {
    if (interrupt_after != 0 && progress.schedules >= interrupt_after) raise(SIGINT);
  }
  void on_note(const std::string& text) override {
    notes.push_back(text);
    if (interrupt_when_begun_anew && text.find("the search begins anew") != std::string::npos) raise(SIGINT);
  }
  void on_bug(const Discovery& found) override {
    plans.push_back(found.plan);
    found.bug.site = "somewhere";
    std::this_thread::sleep_for(std::chrono::duration<double>(takes_s_for_bugs));
  }
  void on_output(std::string_view text) override { output += text; }

  std::uint64_t interrupt_after = 0;
  bool interrupt_when_begun_anew = false;
  double takes_s_for_bugs = 0;
  std::vector<std::string> notes;
  std::vector<Plan> plans;
  std::string output;
};

RunOptions options_for(const char* search) {
  RunOptions options;
  options.command = {"fake"};
  options.search = search;
  options.execution_timeout_s = 1.2;
  options.time_s = 60;
  return options;
}

TEST(Explore, AProgramWithOneScheduleIsComplete) {
  Seen seen;
  const Report report = run(fake_target("passes"), options_for("bounded"), seen);
  EXPECT_EQ(report.verdict, Verdict::NoBugFound);
  EXPECT_EQ(report.stop_reason, StopReason::Exhausted);
  EXPECT_TRUE(report.coverage.complete);
  EXPECT_EQ(report.schedules, 1u);
  EXPECT_EQ(report.steps_max, 2u);
}

TEST(Explore, StopsAtMaxSchedules) {
  Seen seen;
  RunOptions options = options_for("random");
  options.max_schedules = 1000;
  const Report report = run(fake_target("passes"), options, seen);
  EXPECT_EQ(report.schedules, 1000u);
  EXPECT_EQ(report.stop_reason, StopReason::Schedules);
  EXPECT_EQ(report.promise.bounds, "");
}

TEST(Explore, StopsWhenTheTimeIsUp) {
  Seen seen;
  RunOptions options = options_for("random");
  options.time_s = 0.5;
  const Report report = run(fake_target("passes"), options, seen);
  EXPECT_EQ(report.stop_reason, StopReason::Time);
  EXPECT_EQ(report.verdict, Verdict::NoBugFound);
}

TEST(Explore, ABugIsReplayedAndHandedOver) {
  Seen seen;
  const Report report = run(fake_target("fails"), options_for("bounded"), seen);
  EXPECT_EQ(report.verdict, Verdict::Bug);
  EXPECT_EQ(report.stop_reason, StopReason::Bug);
  ASSERT_EQ(report.bugs.size(), 1u);
  EXPECT_EQ(report.bugs[0].outcome.kind, OutcomeKind::Exit);
  EXPECT_EQ(report.bugs[0].replay, Bug::Replay::Reproduced);
  EXPECT_EQ(report.bugs[0].site, "somewhere");
  ASSERT_EQ(seen.plans.size(), 1u);
  EXPECT_EQ(seen.plans[0].deltas.size(), 2u) << "every choice is in the plan";
  EXPECT_TRUE(seen.plans[0].stacks);
}

TEST(Explore, TheSameBugIsReportedOnce) {
  Seen seen;
  RunOptions options = options_for("random");
  options.keep_going = true;
  options.max_schedules = 50;
  const Report report = run(fake_target("fails"), options, seen);
  EXPECT_EQ(report.bugs.size(), 1u);
  EXPECT_EQ(report.schedules, 50u);
}

TEST(Explore, TheSearchGoesOnBehindABugThatIsKnown) {
  struct Knows : Seen {
    void on_bug(const Discovery& found) override {
      Seen::on_bug(found);
      found.bug.is_known = true;
    }
  };
  for (const char* search : {"random", "bounded"}) {
    Knows seen;
    RunOptions options = options_for(search);
    options.has_baseline = true;
    options.max_schedules = 50;
    const Report report = run(fake_target("fails"), options, seen);
    ASSERT_EQ(report.bugs.size(), 1u) << search;
    EXPECT_TRUE(report.only_known());
    EXPECT_EQ(report.stop_reason, search == std::string("random") ? StopReason::Schedules : StopReason::Exhausted);
    EXPECT_EQ(report.coverage.complete, search == std::string("bounded"));
  }
}

// An assertion fails once the search has found a bug, or at once.
struct Broken : Seen {
  explicit Broken(bool at_once) : due(at_once) {}
  void on_bug(const Discovery& found) override {
    Seen::on_bug(found);
    due = true;
  }
  void on_progress(const Progress&) override {
    if (std::exchange(due, false)) throw AssertionFailed("this should always be true");
  }
  bool due;
};

TEST(Explore, WhereHeddleItselfIsWrongBugsFoundBeforeAreReported) {
  Broken broken(false);
  RunOptions options = options_for("random");
  options.keep_going = true;
  const Report report = run(fake_target("fails"), options, broken);
  EXPECT_EQ(report.verdict, Verdict::Bug);
  EXPECT_EQ(report.stop_reason, StopReason::Error);
  EXPECT_EQ(report.bugs.size(), 1u);
  ASSERT_FALSE(report.notes.empty());
  EXPECT_EQ(report.notes.back().find("internal error: this should always be true"), 0u);
}

TEST(Explore, WhereHeddleItselfIsWrongAndNoBugWasFoundThereIsNoReport) {
  Broken broken(true);
  EXPECT_THROW(run(fake_target("passes"), options_for("random"), broken), AssertionFailed);
}

TEST(Explore, AcceptedExitStatusIsNoBug) {
  Seen seen;
  RunOptions options = options_for("bounded");
  options.ok_exit = {0, 3};
  EXPECT_EQ(run(fake_target("fails"), options, seen).verdict, Verdict::NoBugFound);
}

TEST(Explore, AllOutputIsPassedOn) {
  Seen seen;
  RunOptions options = options_for("random");
  options.ok_exit = {3};
  options.output = OutputMode::All;
  options.max_schedules = 3;
  run(fake_target("fails"), options, seen);
  EXPECT_EQ(seen.output, "output of plan 1\noutput of plan 2\noutput of plan 3\n");
}

TEST(Explore, NothingToExploreIsNoVerdict) {
  Seen seen;
  const Report report = run(fake_target("quiet"), options_for("bounded"), seen);
  EXPECT_EQ(report.verdict, Verdict::None);
  EXPECT_EQ(report.stop_reason, StopReason::NothingToExplore);
  EXPECT_NE(report.no_verdict_reason.find("with status 5 before it created a thread"), std::string::npos);
  EXPECT_EQ(report.program_output, "hello\n");
}

TEST(Explore, WhenEveryScheduleHangsItStopsEarly) {
  Seen seen;
  RunOptions options = options_for("random");
  options.time_s = 60;
  const Report report = run(fake_target("hangs"), options, seen);
  EXPECT_EQ(report.verdict, Verdict::None);
  EXPECT_EQ(report.stop_reason, StopReason::Error);
  EXPECT_EQ(report.schedules, 3u);
  EXPECT_NE(report.no_verdict_reason.find("--execution-timeout"), std::string::npos);
}

TEST(Explore, AWorkerThatAlwaysDiesIsNoVerdict) {
  Seen seen;
  const Report report = run(fake_target("dies_always"), options_for("random"), seen);
  EXPECT_EQ(report.verdict, Verdict::None);
  EXPECT_FALSE(report.no_verdict_reason.empty());
}

TEST(Explore, LostSchedulesAreCounted) {
  Seen seen;
  RunOptions options = options_for("random");
  options.max_schedules = 30;
  const Report report = run(fake_target("skips"), options, seen);
  EXPECT_EQ(report.verdict, Verdict::NoBugFound);
  EXPECT_GE(report.coverage.lost, 9u);
}

bool noted(const Seen& seen, const std::string& text) {
  return std::any_of(seen.notes.begin(), seen.notes.end(),
                     [&](const std::string& note) { return note.find(text) != std::string::npos; });
}

Report run_twenty(const std::string& manner, Seen& seen, RunOptions options = options_for("random")) {
  options.max_schedules = 20;
  return run(fake_target(manner), options, seen);
}

TEST(Explore, APlanThatPartsOnceIsTriedAgain) {
  for (const char* manner : {"parts_once", "parts_twice"}) {
    Seen seen;
    const Report report = run_twenty(manner, seen);
    EXPECT_EQ(report.schedules, 20u) << manner;
    EXPECT_EQ(report.coverage.lost, 0u) << manner;
    EXPECT_TRUE(noted(seen, "could when it was tried again")) << manner;
  }
}

TEST(Explore, APlanThatAlwaysPartsIsLostAndTheInputIsNamed) {
  Seen seen;
  const Report report = run_twenty("parts_always", seen);
  EXPECT_EQ(report.schedules, 20u);
  EXPECT_EQ(report.coverage.lost, 1u);
  EXPECT_TRUE(noted(seen, "the schedule could not be followed at step 1: not possible"));
  EXPECT_TRUE(noted(seen, "one of these is likely the reason: the weather (just before)"));
}

TEST(Explore, AProgramThatIsNotTheSameAgainIsNamed) {
  Seen seen;
  const Report report = run_twenty("fickle", seen);
  EXPECT_FALSE(report.deterministic);
  EXPECT_TRUE(noted(seen, "the program does not do the same each time"));
  EXPECT_TRUE(noted(seen, "the weather"));
}

TEST(Explore, WithoutChecksNothingIsNoticed) {
  Seen seen;
  RunOptions options = options_for("random");
  options.determinism_check = 0;
  options.isolation = IsolationChoice::Fork;  // on snapshots these are checked
  EXPECT_TRUE(run_twenty("fickle", seen, options).deterministic);
}

TEST(Explore, WhatFailsOnSnapshotsOnlyIsNoBug) {
  Seen seen;
  const Report report = run_twenty("fails_on_snapshots", seen);
  EXPECT_TRUE(noted(seen, "isolation: fork, and the search begins anew"));
  EXPECT_EQ(report.isolation, "fork");
  EXPECT_TRUE(report.bugs.empty());
  EXPECT_EQ(report.schedules, 20u);
  EXPECT_EQ(report.verdict, Verdict::NoBugFound);
}

// It waits until it is known whether snapshots are to blame for the first one, and is not lost with that.
TEST(Explore, WhatFailsTrulyBehindWhatFailsOnSnapshotsOnlyIsTold) {
  for (const bool keep_going : {false, true}) {
    Seen seen;
    RunOptions options = options_for("random");
    options.keep_going = keep_going;
    const Report report = run_twenty("fails_on_snapshots_and_truly", seen, options);
    EXPECT_TRUE(noted(seen, "isolation: fork, and the search begins anew"));
    ASSERT_EQ(report.bugs.size(), 1u);
    EXPECT_NE(report.bugs.front().outcome.message.find("4"), std::string::npos) << report.bugs.front().outcome.message;
    EXPECT_EQ(report.bugs.front().replay, Bug::Replay::Reproduced);
    EXPECT_EQ(report.stop_reason, keep_going ? StopReason::Schedules : StopReason::Bug);
    EXPECT_EQ(report.schedules, keep_going ? 20u : 0u) << "what was run on snapshots counts for nothing";
    EXPECT_FALSE(report.coverage.complete);
  }
}

TEST(Explore, WhatFailsInOneProcessOnlyIsToldAsItIs) {
  for (const bool keep_going : {false, true}) {
    Seen seen;
    RunOptions options = options_for("random");
    options.keep_going = keep_going;
    const Report report = run_twenty("fails_in_first_process", seen, options);
    EXPECT_EQ(report.isolation, "snapshot");
    ASSERT_EQ(report.bugs.size(), 1u);
    EXPECT_EQ(report.bugs.front().schedule, 1u);
    EXPECT_NE(report.bugs.front().replay, Bug::Replay::Reproduced);
    EXPECT_EQ(report.stop_reason, keep_going ? StopReason::Schedules : StopReason::Bug);
  }
}

TEST(Explore, WhatSettlesIsPrimed) {
  Seen seen;
  EXPECT_TRUE(run_twenty("settles", seen).deterministic);
  EXPECT_TRUE(noted(seen, "(--prime)"));
  Seen unprimed;
  RunOptions options = options_for("random");
  options.prime = 0;
  EXPECT_FALSE(run_twenty("settles", unprimed, options).deterministic);
}

TEST(Explore, AnInterruptKeepsWhatWasDone) {
  Seen seen;
  seen.interrupt_after = 200;
  const Report report = run(fake_target("passes"), options_for("random"), seen);
  EXPECT_EQ(report.stop_reason, StopReason::Interrupted);
  EXPECT_GE(report.schedules, 200u);
  EXPECT_EQ(report.verdict, Verdict::NoBugFound);
}

RunOptions options_for_racing(unsigned schedules_checked) {
  RunOptions options = options_for("bounded");
  options.races = RaceMode::Report;
  options.search_options["--reduction"] = "none";
  options.determinism_check = schedules_checked;
  return options;
}

// Bound 0 was proved for the points of then. There are more now, and schedules that nobody has run.
TEST(Explore, ARaceFoundAtBoundOneWithdrawsTheProofOfBoundZero) {
  Seen seen;
  seen.interrupt_when_begun_anew = true;
  const Report report = run(fake_target("races_when_preempted"), options_for_racing(0), seen);
  EXPECT_EQ(report.stop_reason, StopReason::Interrupted);
  EXPECT_EQ(report.coverage.bound_proved, -1);
  EXPECT_EQ(report.coverage.schedules_at_bound, 0u);
  EXPECT_FALSE(report.coverage.complete);
  EXPECT_EQ(report.schedules, 0u) << "those of the version before prove nothing";
  EXPECT_EQ(report.schedules_given_up, 2u);
  EXPECT_NE(report.no_verdict_reason.find("began anew"), std::string::npos);
  EXPECT_EQ(report.distinct, 0u);
}

TEST(Explore, WhatARaceHasWithdrawnIsProvedAgain) {
  for (const unsigned checked : {0u, 3u}) {
    Seen seen;
    const Report report = run(fake_target("races_when_preempted"), options_for_racing(checked), seen);
    EXPECT_EQ(report.stop_reason, StopReason::Exhausted);
    EXPECT_TRUE(report.coverage.complete);
    EXPECT_EQ(report.schedules, 2u) << "both, once in this version";
    const auto anew = [](const std::string& note) { return note.find("begins anew") != std::string::npos; };
    EXPECT_EQ(std::count_if(seen.notes.begin(), seen.notes.end(), anew), 1)
        << "a race that is known brings nothing new";
  }
}

// The one race is told, but there is no time for another search: what was run counts, and proves nothing for its
// places.
TEST(Explore, ARaceThatIsFoundWhenTheTimeIsUpLeavesTheSchedulesThatWereRun) {
  Seen seen;
  seen.takes_s_for_bugs = 0.6;
  RunOptions options = options_for_racing(0);
  options.races = RaceMode::Bug;
  options.time_s = 0.6;
  const Report report = run(fake_target("races_when_preempted"), options, seen);
  EXPECT_EQ(report.stop_reason, StopReason::Time);
  ASSERT_EQ(report.bugs.size(), 1u);
  EXPECT_EQ(report.schedules, 2u);
  EXPECT_EQ(report.coverage.bound_proved, -1);
  EXPECT_FALSE(report.coverage.complete);
}

// The first one always is, the others as long as there is time.
TEST(Explore, ARaceThatIsFoundLongAfterTheTimeIsToldWithoutBeingRunAgain) {
  Seen seen;
  seen.takes_s_for_bugs = 2.5;  // as the replays of many races do
  RunOptions options = options_for_racing(0);
  options.races = RaceMode::Bug;
  options.time_s = 0.3;
  const Report report = run(fake_target("races_twice_when_preempted"), options, seen);
  ASSERT_EQ(report.bugs.size(), 2u) << "none is lost";
  EXPECT_NE(report.bugs[0].replay, Bug::Replay::NotTried);
  EXPECT_EQ(report.bugs[1].replay, Bug::Replay::NotTried);
  EXPECT_EQ(report.bugs[1].replay_detail, "the time was up");
  EXPECT_EQ(report.stop_reason, StopReason::Time);
  EXPECT_EQ(report.schedules, 2u);
}

TEST(Explore, ARequiredBoundThatIsNotProvedIsNoVerdict) {
  Seen seen;
  RunOptions options = options_for("random");
  options.max_schedules = 5;
  options.require_bound = 1;
  const Report report = run(fake_target("passes"), options, seen);
  EXPECT_EQ(report.verdict, Verdict::None);
  EXPECT_NE(report.no_verdict_reason.find("--require-bound=1"), std::string::npos);
}

TEST(Replay, RunsOnePlan) {
  const ReplayResult result = replay(fake_target("fails"), options_for("bounded"), {.id = 42, .deltas = {}}, false);
  ASSERT_TRUE(result.execution.has_value()) << result.problem;
  EXPECT_EQ(result.execution->plan, 42u);
  EXPECT_EQ(result.outcome.kind, OutcomeKind::Exit);
  EXPECT_EQ(result.execution->output, "output of plan 42\n");
}

TEST(Replay, SaysWhyItCameToNothing) {
  const ReplayResult result = replay(fake_target("quiet"), options_for("bounded"), {.id = 1, .deltas = {}}, false);
  EXPECT_FALSE(result.execution.has_value());
  EXPECT_NE(result.problem.find("with status 5 before it created a thread"), std::string::npos);
}

TEST(Replay, PlansThatAreTooLargeFallBackToTheOriginal) {
  Execution execution;
  execution.steps.resize(1000);
  EXPECT_EQ(dense_plan(execution, {}).deltas.size(), 1000u);
  execution.steps.resize(300'000);
  const Plan original{.id = 3, .deltas = {{5, {1, 0}}}};
  const Plan plan = dense_plan(execution, original);
  EXPECT_EQ(plan.deltas, original.deltas);
  EXPECT_TRUE(plan.stacks);
}

}  // namespace
}  // namespace heddle::test
