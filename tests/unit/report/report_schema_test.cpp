// Reports from elsewhere: each of ours is one, and whatever is damaged is told or has all its fields.
#include "report/report_schema.h"

#include <gtest/gtest.h>

#include <random>

#include "report/json.h"

namespace heddle {
namespace {

using Json = nlohmann::json;

Json a_report() {
  Report report;
  report.command = {"./program"};
  report.stop_reason = StopReason::Bug;
  report.carrier = "fiber";
  report.isolation = "fork";
  Bug bug;
  bug.id = 1;
  bug.outcome = {OutcomeKind::Deadlock, "main waits", 0x10, {0x10}, {}};
  bug.schedule = 15;
  bug.details.steps = {{0, 0, "locks m", {"/a.cpp", 3, "f()"}, false}, {1, 0, "exits", {}, true}};
  report.bugs.push_back(bug);
  return Json::parse(json(report));
}

TEST(ReportSchema, OurReportsAreAsItSays) { EXPECT_EQ(why_no_report(a_report()), ""); }

TEST(ReportSchema, WhatIsMissingUnknownOrOfAnotherTypeIsTold) {
  const auto why = [](const char* path, const Json& value) {
    Json report = a_report();
    report[Json::json_pointer(path)] = value;
    return why_no_report(report);
  };
  EXPECT_EQ(why("/schedules", "many"), "it.schedules is not what it is to be (type)");
  EXPECT_EQ(why("/schedules", -1), "it.schedules is not what it is to be (minimum)");
  EXPECT_EQ(why("/schedules", true), "it.schedules is not what it is to be (type)");
  EXPECT_EQ(why("/verdict", "fine"), "it.verdict is not what it is to be (enum)");
  EXPECT_EQ(why("/format_version", 2), "it.format_version is not what it is to be (const)");
  EXPECT_EQ(why("/unknown", 1), "it has an unknown field");
  EXPECT_EQ(why("/bugs/0/steps/0/place/file", 5), "it.bugs[].steps[].place.file is not what it is to be (type)");
  EXPECT_EQ(why("/bugs/0/site", Json::array()), "it.bugs[].site is not what it is to be (type)");
  Json report = a_report();
  report["bugs"][0].erase("key");
  EXPECT_EQ(why_no_report(report), "it.bugs[] has no \"key\"");
  EXPECT_NE(why_no_report(Json()), "");
  EXPECT_NE(why_no_report(Json(Json::value_t::discarded)), "");
  EXPECT_NE(why_no_report(Json::array({1})), "");
}

// Each value is replaced by one of each type in turn: what passes could have been ours.
TEST(ReportSchema, NoFieldCanHaveJustAnyType) {
  const Json good = a_report(), flat = good.flatten();
  const Json values[] = {nullptr, true, 7, 0.5, "text", Json::array(), Json::object()};
  for (const auto& [path, value] : flat.items()) {
    unsigned passed = 0;
    for (const Json& other : values) {
      Json report = good;
      report[Json::json_pointer(path)] = other;
      passed += why_no_report(report).empty() ? 1 : 0;
    }
    EXPECT_LE(passed, 3u) << path;
  }
}

}  // namespace
}  // namespace heddle
