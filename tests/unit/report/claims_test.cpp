// What was proved, and never more.
#include "report/claims.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "report/summary.h"

namespace heddle {
namespace {

constexpr const char* kScope =
    "Not checked: switches elsewhere than at library synchronization; atomics and memory accesses, yours and your "
    "libraries', ran uninterrupted.\n"
    "Not checked: data races.\n";

Report proved(int bound, std::uint64_t schedules) {
  Report report;
  report.promise = find_strategy("bounded")->promise;
  report.limit = find_strategy("bounded")->limit;
  report.verdict = Verdict::NoBugFound;
  report.stop_reason = StopReason::Time;
  report.coverage.bound_proved = bound;
  report.coverage.schedules_at_bound = schedules;
  report.schedules = schedules + 10;
  return report;
}

std::string text_of(const Report& report) {
  std::string result;
  for (const Claim& claim : claims(report)) result += claim.line + "\n";
  return result;
}

bool says(const Report& report, const std::string& text) { return text_of(report).find(text) != std::string::npos; }

TEST(Claims, BoundProved) {
  EXPECT_EQ(text_of(proved(2, 4711)),
            std::string("Proved: every schedule with at most 2 preemptions was run (4,711). A remaining bug among what "
                        "was checked needs at "
                        "least 3 preemptions.\n") +
                kScope +
                "Not checked: spurious wake-ups (--spurious-wakeups=1 adds one to each schedule).\n"
                "Next: build with heddle-cc or heddle-c++ and run again: data races show, and atomics are "
                "interleaved; --patch=yes interleaves atomic instructions of this build.\n");
  EXPECT_TRUE(says(proved(1, 1), "with at most 1 preemption was run (1)"));
  EXPECT_TRUE(says(proved(0, 3), "Proved: every schedule without a preemption was run (3)"));
  EXPECT_TRUE(says(proved(0, 3), "needs at least 1 preemption."));
}

TEST(Claims, HowLongTheNextBoundTakes) {
  Report report = proved(2, 4711);
  EXPECT_FALSE(says(report, "takes"));
  report.stop_reason = StopReason::Bound;
  report.limit = "--max-preemptions";
  report.schedules = 1000;
  report.seconds = 1;
  report.coverage.next_bound = 1e6;
  EXPECT_TRUE(says(report,
                   "Next: every schedule with at most 3 preemptions takes about ten minutes "
                   "(--max-preemptions=3).\n"));
  for (const auto& [schedules, words] :
       {std::pair{500.0, "about a second"}, {5e4, "about a minute"}, {3e6, "about an hour"}, {3e8, "days"}}) {
    report.coverage.next_bound = schedules;
    EXPECT_TRUE(says(report, std::string("takes ") + words)) << text_of(report);
  }
  report.stop_reason = StopReason::Time;
  EXPECT_TRUE(says(report, "takes days (--time)"));
  report.estimate = Estimate{};  // of the bound that was begun
  EXPECT_FALSE(says(report, "takes"));
  report.estimate.reset();
  report.coverage.bound_proved = -1;
  EXPECT_FALSE(says(report, "takes"));
}

TEST(Claims, RacesThatDoNoHarm) {
  Report report = proved(1, 1);
  report.benign = {"counter", "stats.hits"};
  EXPECT_TRUE(says(report,
                   "Assumes: data races on counter, stats.hits do no harm, whatever order their accesses come "
                   "in (--benign).\n"));
}

TEST(Claims, RacesThatWereChecked) {
  Report report = proved(1, 1);
  EXPECT_TRUE(says(report, "Not checked: data races."));
  report.instrumented = report.races_checked = true;
  EXPECT_FALSE(says(report, "Not checked: data races."));
  EXPECT_TRUE(says(report, "elsewhere than at library synchronization, atomic operations and volatile accesses; "));
  report.racing_places = 1;
  EXPECT_TRUE(says(report, "volatile accesses and 1 place that races; "));
  report.racing_places = 2;
  EXPECT_TRUE(says(report, "volatile accesses and 2 places that race; "));
}

TEST(Claims, Complete) {
  Report report = proved(5, 100);
  report.coverage.complete = true;
  report.schedules = 100;
  EXPECT_TRUE(says(report, "Proved: every schedule was run (100)"));
  EXPECT_TRUE(says(report, kScope));
  EXPECT_FALSE(says(report, "needs at least"));
}

TEST(Claims, NothingProved) {
  Report report = proved(-1, 0);
  EXPECT_TRUE(says(
      report, "Nothing was proved: 10 schedules were run, not all of those without a preemption (the time was up)"));
  EXPECT_TRUE(says(report, kScope));
  EXPECT_FALSE(says(report, "threads that don't wait"));
  report.promise.switches_free = true;
  report.tasks_max = 14;
  EXPECT_FALSE(says(report, "threads that don't wait"));
  report.tasks_max = 31;
  EXPECT_TRUE(says(report, ". 30 threads that don't wait for each other have 10^32 of these, one for each order"));
  report.stop_reason = StopReason::Interrupted;
  EXPECT_FALSE(says(report, "threads that don't wait"));
  report.schedules = 0;
  EXPECT_EQ(text_of(report), "Nothing was proved: no schedule was run. Other schedules may fail.\n");
}

TEST(Claims, RandomSearchProvesNothing) {
  Report report = proved(-1, 0);
  report.promise = find_strategy("random")->promise;
  EXPECT_TRUE(says(report, "Nothing was proved: 10 schedules were drawn at random"));
  EXPECT_TRUE(says(report, kScope));
}

TEST(Claims, TheChanceOfSomethingNewIsSaidAsLongAsThereMayBe) {
  Report report = proved(1, 3);
  report.new_class = NewClassChance{"random", {2'100, 0.0427, 0.06}};
  EXPECT_TRUE(says(report,
                   "\nEstimate: one more schedule by random shows something new with a chance of 4.3 %, at most 6.0 % "
                   "(from 2,100 schedules; "));
  report.new_class->chance = {1'000'000, 0, 0.000004};
  EXPECT_TRUE(says(report, "with a chance of 0 %, at most 0.0004 % "));
  report.coverage.complete = true;
  EXPECT_FALSE(says(report, "Estimate:"));
}

TEST(Claims, WhatPctWouldHaveMissed) {
  Report report = proved(1, 4711);
  report.tasks_max = 3;
  report.missed = {{0.0000001, 0.021, 0.5}, 28};
  EXPECT_TRUE(
      says(report,
           "\nEstimate: pct would have missed a bug of depth 1 with a chance of at most 0.0001 %, of depth 2 with "
           "at most 2.1 %, of depth 3 with at most 50 % (depth: so many pairs of steps must come in a certain "
           "order; for schedules of at most 28 steps and 3 threads).\n"))
      << text_of(report);
  report.missed = {};
  EXPECT_FALSE(says(report, "Estimate:"));
  report.missed = {{0.1}, 28};
  report.coverage.complete = true;
  EXPECT_FALSE(says(report, "Estimate:"));
}

TEST(Claims, WhatAGuideLeftOutIsNotProved) {
  Report report = proved(-1, 0);
  report.coverage.guided = report.coverage.up_to_equivalence = true;
  EXPECT_TRUE(says(report,
                   "Nothing was proved: 10 schedules were run; left out: schedules that bring no new order of "
                   "statements (--guide=hapset). Other schedules may fail."));
}

TEST(Claims, WhatWasLeftOutIsSaid) {
  Report report = proved(2, 10);
  report.timeouts = Timeouts::Late;
  EXPECT_TRUE(says(report, "Not checked: timeouts that fire while others could go on"));
  report.spurious_wakeups = 1;
  EXPECT_FALSE(says(report, "Not checked: spurious"));
  EXPECT_TRUE(says(report, "at most 1 spurious wake-up happened in each"));
  report.step_limit_reached = true;
  report.max_steps = 1000;
  EXPECT_TRUE(says(report, "Not checked: what comes after 1,000 steps."));
  report.fairness_held_back = true;
  EXPECT_TRUE(says(report, "Proved: every fair schedule with"));
  EXPECT_TRUE(says(report, "needs an unfair schedule (a thread that yields in vain again and again) or at least"));
}

TEST(Claims, ChoicesAreNamed) {
  Report report = proved(2, 10);
  EXPECT_FALSE(says(report, "waiter"));
  EXPECT_FALSE(says(report, "timeout"));
  report.waiters_chosen = report.timeouts_could_fire = true;
  EXPECT_TRUE(says(report, "any waiter could be the one that is woken"));
  EXPECT_TRUE(says(report, "a timeout that fires while others could go on counted as a preemption"));
  report.promise = find_strategy("random")->promise;
  EXPECT_FALSE(says(report, "counted as a preemption"));
}

TEST(Claims, AThreadThatReadsAClockMightHaveBeenLate) {
  Report report = proved(2, 10);
  EXPECT_FALSE(says(report, "slow"));
  report.clock_read_in_time = true;
  EXPECT_TRUE(
      says(report, "Not checked: slow threads; time passed only when all threads waited, or looked at the clock"));
}

TEST(Claims, ChildProcessesLimitIt) {
  Report report = proved(2, 10);
  EXPECT_FALSE(says(report, "child processes"));
  report.processes_ran = true;
  EXPECT_TRUE(says(report, "Not checked: other orders of its child processes"));
  EXPECT_FALSE(says(report, "another program"));
  EXPECT_FALSE(says(report, "goroutines"));
  report.goroutines = true;
  EXPECT_TRUE(says(report, "Not checked: orders of goroutines"));
  report.left_control = true;
  EXPECT_TRUE(says(report, "Not checked: what it did as another program (exec), or up to an exit by a system call of"));
}

TEST(Claims, WhatWasInstrumentedIsNotCalledUnchecked) {
  Report report = proved(2, 10);
  report.coverage.up_to_equivalence = true;
  EXPECT_TRUE(says(report, "Not checked: data races."));
  EXPECT_TRUE(says(report,
                   "Assumes: threads don't learn of each other by atomics, racing accesses, clocks, files or the like "
                   "(--reduction=none"));
  report.instrumented = true;
  EXPECT_TRUE(says(report, "Not checked: data races."));
  EXPECT_TRUE(says(report, "plain accesses, and code that was not built with heddle-cc, ran uninterrupted"));
  EXPECT_TRUE(says(report, "threads don't learn of each other by racing accesses, clocks, files or the like"));
  report.races_checked = true;
  EXPECT_FALSE(says(report, "Not checked: data races."));
  EXPECT_TRUE(says(report, "threads don't learn of each other by code that was not built with heddle-cc"));
  EXPECT_TRUE(says(report, "; code that was not built with heddle-cc ran uninterrupted"));
  EXPECT_TRUE(says(report, "Not checked: data races in code that was not built with heddle-cc"));
}

TEST(Claims, PatchedInstructionsAreCountedAndPlainOnesNamed) {
  Report report = proved(2, 10);
  EXPECT_TRUE(says(report, "atomics and memory accesses, yours and your libraries', ran uninterrupted"));
  EXPECT_TRUE(says(report, "--patch=yes interleaves atomic instructions of this build"));
  report.patched = true;
  report.atomics_found = 12;
  EXPECT_EQ(points_of(report), "library synchronization and 12 atomic instructions of plain code");
  report.atomics_left = 2;
  EXPECT_EQ(points_of(report), "library synchronization and 10 of 12 atomic instructions of plain code");
  EXPECT_TRUE(says(report, "plain loads and stores, yours and your libraries', ran uninterrupted"));
  EXPECT_FALSE(says(report, "--patch=yes"));
  report.instrumented = true;
  EXPECT_TRUE(says(report, "volatile accesses and 10 of 12 atomic instructions of plain code"));
}

TEST(Claims, EndsThatAreBeginningsAreNamed) {
  Report report = proved(2, 10);
  report.coverage.up_to_equivalence = true;
  EXPECT_TRUE(says(report, "or is equivalent to one that was (10)"));
  report.coverage.early_ends = true;
  EXPECT_TRUE(says(report, "or is equivalent to one that was or to the beginning of one (10)"));
  EXPECT_TRUE(
      assumptions_of(report).back().starts_with("Assumes: where the process can end while threads could go on"));
}

TEST(Claims, WhatAnotherVersionBuiltIsNamed) {
  Report report = proved(2, 10);
  EXPECT_FALSE(says(report, "another version"));
  report.of_another_version = true;
  EXPECT_TRUE(says(report, "Not checked: data races."));
  EXPECT_TRUE(says(report, "Not checked: what another version's heddle-cc has built"));
}

TEST(Claims, LostCoverageIsNeverCalledComplete) {
  Report report = proved(2, 10);
  report.coverage.complete = true;
  report.coverage.lost = 3;
  EXPECT_FALSE(says(report, "every schedule was run"));
  EXPECT_TRUE(says(report, "3 schedules could not be run as planned"));
}

TEST(Claims, AfterABug) {
  Report report = proved(1, 10);
  report.verdict = Verdict::Bug;
  report.bugs.emplace_back();
  EXPECT_TRUE(says(report, "A bug among what was checked, not reported above, needs at least 2 preemptions."));
}

TEST(Claims, AfterABugInTheFirstBound) {
  Report report = proved(-1, 0);
  report.verdict = Verdict::Bug;
  report.stop_reason = StopReason::Bug;
  report.bugs.emplace_back();
  EXPECT_EQ(text_of(report),
            "Nothing else was proved: 10 schedules were run, not all of those without a preemption (the run stopped at "
            "the first bug). "
            "Other schedules may fail in other ways.\n");
  report.promise = find_strategy("random")->promise;
  EXPECT_TRUE(says(report, "10 schedules were drawn at random"));
  EXPECT_FALSE(says(report, "othing was proved"));
}

TEST(Summary, SaysWhyTheRunStopped) {
  const auto headline = [](StopReason reason, Verdict verdict) {
    Report report = proved(1, 4);
    report.verdict = verdict;
    report.stop_reason = reason;
    const std::string text = summary(report, Style());
    return text.substr(0, text.find('\n'));
  };
  EXPECT_EQ(headline(StopReason::Time, Verdict::NoBugFound),
            "heddle: no bug found (14 schedules in 0.0 s; the time was up)");
  Report slow_to_start = proved(1, 4);
  slow_to_start.verdict = Verdict::NoBugFound;
  slow_to_start.stop_reason = StopReason::Time;
  slow_to_start.seconds = 1.8;
  slow_to_start.seconds_in_all = 12;
  EXPECT_NE(summary(slow_to_start, Style())
                .find("(14 schedules in 1.8 s, 12 s with the start of the program, its first schedule, and writing "
                      "reports; the "
                      "time was up)"),
            std::string::npos);
  EXPECT_EQ(headline(StopReason::Memory, Verdict::NoBugFound),
            "heddle: no bug found (14 schedules in 0.0 s; the memory that --memory-limit allows was used up)");
  EXPECT_EQ(headline(StopReason::Interrupted, Verdict::NoBugFound),
            "heddle: no bug found (14 schedules in 0.0 s; the run was interrupted)");
  EXPECT_EQ(headline(StopReason::Schedules, Verdict::NoBugFound),
            "heddle: no bug found (14 schedules in 0.0 s; --max-schedules was reached)");
  EXPECT_EQ(headline(StopReason::Bound, Verdict::NoBugFound),
            "heddle: no bug found (14 schedules in 0.0 s; --max-preemptions was reached)");
  EXPECT_EQ(headline(StopReason::Exhausted, Verdict::NoBugFound), "heddle: no bug found (14 schedules in 0.0 s)");
  EXPECT_NE(headline(StopReason::Bug, Verdict::Bug).find("the run stopped at the first bug"), std::string::npos);
}

TEST(Summary, TellsHowFarASearchCameThatWasCutOff) {
  Report report = proved(1, 1990);
  report.seconds = 1;
  report.coverage.bound_in_progress = 2;
  EXPECT_EQ(summary(report, Style()).find("There are"), std::string::npos);
  report.estimate = Estimate{22000, 20000, 24321};
  report.busy_places = {{"mutex lock of lock", "queue.cpp:33", "function:push", 0.416},
                        {"semaphore post", "", "", 0.2}};
  const std::string text = summary(report, Style());
  EXPECT_NE(text.find("\nThere are about 22,000 schedules with at most 2 preemptions (20,000 to 24,000): 10 s more at "
                      "this rate.\nMost come from switching before: mutex lock of lock, queue.cpp:33 (42 %); semaphore "
                      "post (20 %). Fewer"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("--no-preempt=function:push leaves"), std::string::npos) << text;
  report.no_preempt = {"function:push"};
  EXPECT_EQ(summary(report, Style()).find("--no-preempt=function:push leaves"), std::string::npos);
  report.no_preempt.clear();
  report.coverage.bound_in_progress = 0;
  EXPECT_EQ(summary(report, Style()).find("--no-preempt"), std::string::npos);
  EXPECT_NE(summary(report, Style()).find("--search=random"), std::string::npos);
  report.coverage.bound_in_progress = 2;
  report.busy_places = {{"yield", "queue.cpp:33", "", 0.9, true}};
  EXPECT_EQ(summary(report, Style()).find("--no-preempt"), std::string::npos) << "a switch there is no preemption";
  EXPECT_NE(summary(report, Style()).find("costs no preemption: --search=random"), std::string::npos);
}

TEST(Wording, DurationsAndRoundedNumbers) {
  EXPECT_EQ(rounded(7), "7");
  EXPECT_EQ(rounded(99), "99");
  EXPECT_EQ(rounded(101), "100");
  EXPECT_EQ(rounded(4711), "4,700");
  EXPECT_EQ(rounded(1996000), "2,000,000");
  EXPECT_EQ(duration(200), "3 min 20 s");
  EXPECT_EQ(duration(4.0 * 3600), "4 hours");
  EXPECT_EQ(duration(3.0 * 24 * 3600), "3 days");
  EXPECT_EQ(duration(1e30), "1000000000 years");
}

TEST(Claims, NoVerdict) {
  Report report = proved(3, 10);
  report.verdict = Verdict::None;
  report.no_verdict_reason = "the program created no thread";
  EXPECT_EQ(text_of(report), "No verdict: the program created no thread\n");
}

// All that a report can say at once.
Report with_every_condition(bool instrumented) {
  Report report = proved(1, 1);
  report.instrumented = instrumented;
  report.schedules_stopped = 2;
  report.of_another_version = report.coverage.regions_kept = report.coverage.symmetric = true;
  report.goroutines = true;
  report.processes_ran = report.left_control = report.step_limit_reached = report.random_drawn = true;
  report.timeouts_could_fire = report.slow_threads = report.clock_read_in_time = report.real_clock = true;
  report.fairness_held_back = report.waiters_chosen = report.coverage.up_to_equivalence = true;
  report.coverage.early_ends = true;
  report.deterministic = false;
  report.start_at = "main";
  report.no_preempt = {"function:log"};
  report.promise.slow_threads = false;
  report.new_class = NewClassChance{"random", {}};
  report.missed = {{0.01}, 9};
  return report;
}

// Whoever asks for it reads whole sentences, and never the line again.
TEST(Claims, EachLineIsExplained) {
  std::size_t lines = 0;
  for (const bool instrumented : {false, true})
    for (const Timeouts timeouts : {Timeouts::Early, Timeouts::Late, Timeouts::Ordered}) {
      Report report = with_every_condition(instrumented);
      report.timeouts = timeouts;
      for (const Claim& claim : claims(report)) {
        ++lines;
        EXPECT_GT(claim.meaning.size(), 60U) << claim.line;
        EXPECT_EQ(claim.meaning.back(), '.') << claim.line;
        EXPECT_EQ(claim.meaning.find(claim.line), std::string::npos) << claim.line;
      }
    }
  EXPECT_GT(lines, 6U * 18U);
}

TEST(Claims, TheExplanationFollowsWhatIsClaimed) {
  const auto meaning = [](const Report& report) { return claims(report).front().meaning; };
  Report report = proved(2, 10);
  EXPECT_NE(meaning(report).find("A preemption takes the processor away"), std::string::npos);
  EXPECT_NE(meaning(report).find("Within the bound, no order of the threads fails."), std::string::npos);
  EXPECT_EQ(meaning(report).find("equivalent"), std::string::npos);
  report.coverage.up_to_equivalence = true;
  EXPECT_NE(meaning(report).find("equivalent"), std::string::npos);
  report.coverage.complete = true;
  EXPECT_NE(meaning(report).find("So no order of its threads fails."), std::string::npos);
  EXPECT_EQ(meaning(report).find("bound"), std::string::npos);
  report.bugs.emplace_back();
  EXPECT_NE(meaning(report).find("fails in other ways than those above."), std::string::npos);
  EXPECT_NE(meaning(proved(-1, 0)).find("a sample"), std::string::npos);
  report.verdict = Verdict::None;
  EXPECT_NE(meaning(report).find("exit status is 3"), std::string::npos);
}

TEST(Claims, ASearchThatCountsDelaysExplainsThem) {
  Report report = proved(1, 10);
  report.promise = find_strategy("delay")->promise;
  EXPECT_NE(claims(report).front().meaning.find("A delay passes over the thread whose turn it is."), std::string::npos);
}

TEST(Assumptions, AreLines) {
  const auto all = assumptions_of(proved(1, 1));
  EXPECT_TRUE(all.front().starts_with("Not checked: switches elsewhere than at library synchronization;"));
  EXPECT_TRUE(std::all_of(all.begin(), all.end(), [](const std::string& text) { return text.back() == '.'; }));
}

}  // namespace
}  // namespace heddle
