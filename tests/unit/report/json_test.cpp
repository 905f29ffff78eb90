// The JSON report: its fields are a promise.
#include "report/json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace heddle {
namespace {

Report example() {
  Report report;
  report.command = {"./queue_test", "--all"};
  report.verdict = Verdict::Bug;
  report.stop_reason = StopReason::Bug;
  report.coverage.bound_proved = 1;
  report.coverage.lost = 2;
  report.schedules = 1500;
  report.distinct = 40;
  report.seconds = 0.75;
  report.coverage.bound_in_progress = 2;
  report.estimate = Estimate{4000, 3000, 5000};
  report.busy_places = {{"mutex lock of lock", "queue.cpp:33", "function:push", 0.41666}};
  report.steps_max = 40;
  report.tasks_max = 3;
  report.carrier = "fiber";
  report.isolation = "fork";
  report.workers = 2;
  report.dirty_pages = 12;
  report.checkpoints = 5;
  report.resumed = 600;
  report.resumed_from_bookmarks = 7;
  report.seed = 7;
  Bug bug;
  bug.id = 1;
  bug.outcome = {OutcomeKind::Deadlock, "main waits", 0x10, {0x10}, {}};
  bug.site = "queue.cpp:3";
  bug.trace_path = "heddle-out/queue_test-1/bug-1.trace";
  bug.schedule = 1500;
  bug.preemptions = 2;
  bug.replay = Bug::Replay::Reproduced;
  report.bugs.push_back(bug);
  report.regressions.push_back({RegressionResult::Kind::NoLongerApplies, "deadlock-1", "deadlock in take()", "gone"});
  return report;
}

TEST(Json, HasExactlyThePromisedFields) {
  const auto parsed = nlohmann::json::parse(json(example()));
  std::set<std::string> fields;
  for (const auto& [name, value] : parsed.items()) fields.insert(name);
  EXPECT_EQ(fields, (std::set<std::string>{"format_version",
                                           "heddle_version",
                                           "command",
                                           "verdict",
                                           "stop_reason",
                                           "no_verdict_reason",
                                           "complete",
                                           "preemption_bound_proved",
                                           "points",
                                           "assumptions",
                                           "claims",
                                           "deterministic",
                                           "input_seed",
                                           "lost_coverage",
                                           "schedules",
                                           "schedules_before",
                                           "schedules_given_up",
                                           "searches",
                                           "pending",
                                           "left_out_as_equivalent",
                                           "schedules_stopped",
                                           "chance_of_new",
                                           "chances_of_missing",
                                           "distinct_executions",
                                           "estimate",
                                           "busy_places",
                                           "seconds",
                                           "schedules_per_second",
                                           "steps_max",
                                           "steps_run",
                                           "tasks_max",
                                           "memory",
                                           "max_stale",
                                           "old_values_missed",
                                           "atomics_found",
                                           "atomics_left",
                                           "carrier",
                                           "isolation",
                                           "workers",
                                           "hot_pages",
                                           "checkpoints",
                                           "resumed_from_checkpoints",
                                           "resumed_from_bookmarks",
                                           "thread_pointer_faults",
                                           "seed",
                                           "notes",
                                           "regressions",
                                           "bugs"}));
}

TEST(Json, ABugHasExactlyThePromisedFields) {
  const auto parsed = nlohmann::json::parse(json(example()));
  std::set<std::string> bug_fields;
  for (const auto& [name, value] : parsed["bugs"][0].items()) bug_fields.insert(name);
  EXPECT_EQ(bug_fields, (std::set<std::string>{"id",
                                               "kind",
                                               "cause",
                                               "key",
                                               "known",
                                               "pattern",
                                               "pattern_text",
                                               "message",
                                               "site",
                                               "places",
                                               "trace",
                                               "schedule",
                                               "found_by",
                                               "preemptions",
                                               "preemptions_at_first",
                                               "needs_preemptions",
                                               "threads",
                                               "steps_in_all",
                                               "steps",
                                               "deviations",
                                               "decisive_step",
                                               "curve",
                                               "accesses",
                                               "locks",
                                               "stacks",
                                               "repair",
                                               "needs_only_time",
                                               "may_need_only_time",
                                               "replays"}));
}

// A preemption is needed if no schedule with fewer fails, whatever came when it alone was left out.
TEST(Json, WhetherADeviationIsNeeded) {
  Report report = example();
  Bug& bug = report.bugs[0];
  bug.details.deviations = {{3, 1, 0, "preemption", true, {}}, {5, 1, kNoTask, "switch", false, false}};
  const auto needed = [&](std::size_t index) {
    return nlohmann::json::parse(json(report))["bugs"][0]["deviations"][index]["needed"];
  };
  EXPECT_TRUE(needed(0).is_null());
  bug.needs_preemptions = true;
  EXPECT_EQ(needed(0), true);
  EXPECT_EQ(needed(1), false);
  EXPECT_TRUE(nlohmann::json::parse(json(report))["bugs"][0]["deviations"][1]["instead_of"].is_null());
}

TEST(Json, APlaceThatIsNotKnownIsNull) {
  Report report = example();
  report.bugs[0].details.steps = {{0, 0, "locks m", {"/a.cpp", 3, "f()"}, false}, {1, 0, "exits", {}, true}};
  const auto steps = nlohmann::json::parse(json(report))["bugs"][0]["steps"];
  EXPECT_EQ(steps[0]["place"], (nlohmann::json{{"file", "/a.cpp"}, {"line", 3}, {"function", "f()"}}));
  EXPECT_TRUE(steps[1]["place"].is_null());
  EXPECT_EQ(steps[1]["preemption"], true);
}

TEST(Json, Values) {
  const auto parsed = nlohmann::json::parse(json(example()));
  EXPECT_EQ(parsed["verdict"], "bug");
  EXPECT_EQ(parsed["preemption_bound_proved"], 1);
  EXPECT_EQ(parsed["schedules_per_second"], 2000);
  EXPECT_EQ(parsed["estimate"]["total"], 4000);
  EXPECT_EQ(parsed["estimate"]["bound"], 2);
  EXPECT_EQ(parsed["busy_places"][0]["where"], "queue.cpp:33");
  EXPECT_EQ(parsed["busy_places"][0]["share"], 0.417);
  EXPECT_EQ(parsed["lost_coverage"], 2);
  EXPECT_EQ(parsed["distinct_executions"], 40);
  EXPECT_EQ(parsed["workers"], 2);
  EXPECT_EQ(parsed["hot_pages"], 12);
  EXPECT_EQ(parsed["checkpoints"], 5);
  EXPECT_EQ(parsed["resumed_from_checkpoints"], 600);
  EXPECT_EQ(parsed["resumed_from_bookmarks"], 7);
  EXPECT_EQ(parsed["points"], "library synchronization");
  EXPECT_TRUE(parsed["claims"][0]["line"].get<std::string>().starts_with("Proved: "));
  EXPECT_TRUE(parsed["claims"][0]["meaning"].get<std::string>().starts_with("A schedule is one order"));
  EXPECT_EQ(parsed["regressions"][0]["result"], "no_longer_applies");
  EXPECT_EQ(parsed["regressions"][0]["evidence"], "gone");
  EXPECT_EQ(parsed["bugs"][0]["kind"], "deadlock");
  EXPECT_EQ(parsed["bugs"][0]["replays"], true);
}

TEST(Json, WhatIsNotKnownIsNull) {
  Report report = example();
  report.coverage.bound_proved = -1;
  report.bugs[0].replay = Bug::Replay::NotTried;
  report.bugs[0].trace_path.clear();
  report.bugs[0].site.clear();
  report.distinct_is_all = false;
  const auto parsed = nlohmann::json::parse(json(report));
  EXPECT_TRUE(parsed["preemption_bound_proved"].is_null());
  EXPECT_TRUE(parsed["bugs"][0]["replays"].is_null());
  EXPECT_TRUE(parsed["bugs"][0]["trace"].is_null());
  EXPECT_TRUE(parsed["bugs"][0]["site"].is_null());
  EXPECT_TRUE(parsed["distinct_executions"].is_null());
}

TEST(Json, PlaceOfAFailedTestIsWhereItsFrameworkSays) {
  Report report = example();
  report.bugs[0].site.clear();
  report.bugs[0].outcome.printed_place = "queue.cpp:9";
  EXPECT_EQ(nlohmann::json::parse(json(report))["bugs"][0]["site"], "queue.cpp:9");
}

TEST(Json, Verdicts) {
  Report report;
  EXPECT_EQ(nlohmann::json::parse(json(report))["verdict"], "none");
  report.verdict = Verdict::NoBugFound;
  EXPECT_EQ(nlohmann::json::parse(json(report))["verdict"], "no_bug_found");
}

TEST(Json, BytesThatAreNoTextDoNoHarm) {
  Report report = example();
  report.bugs[0].outcome.message = "bad \xff bytes";
  EXPECT_NO_THROW(nlohmann::json::parse(json(report)));
}

}  // namespace
}  // namespace heddle
