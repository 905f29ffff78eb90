// What CI systems read and give: SARIF, annotations of GitHub, baselines.
#include <gtest/gtest.h>

#include <fstream>

#include "cli/annotations.h"
#include "cli/baseline.h"
#include "cli/sarif.h"

namespace heddle::cli {
namespace {

nlohmann::json place(const std::string& file, int line) {
  return {{"file", file}, {"line", line}, {"function", "take()"}};
}

// Of a race; its second step has no place.
nlohmann::json report() {
  const nlohmann::json at = place("/home/u/src/a b.cpp", 3), other = place("/opt/x.h", 9);
  const auto access = [](int thread, int after, const nlohmann::json& where) {
    return nlohmann::json{{"thread", thread},
                          {"does", "write"},
                          {"atomic", false},
                          {"after_steps", after},
                          {"place", where},
                          {"locks", {"m"}},
                          {"stack", nlohmann::json::array({where})}};
  };
  const auto step = [](int number, int thread, const nlohmann::json& where) {
    return nlohmann::json{
        {"number", number}, {"thread", thread}, {"does", "locks m"}, {"place", where}, {"preemption", number == 2}};
  };
  nlohmann::json bug{{"id", 1},
                     {"kind", "data race"},
                     {"cause", "data race on sum"},
                     {"key", "data-race-00000001"},
                     {"known", false},
                     {"message", "50%: a, b\nand c"},
                     {"trace", "out/bug-1.trace"},
                     {"needs_only_time", false},
                     {"places", nlohmann::json::array({at, other})},
                     {"locks", nlohmann::json::array()},
                     {"stacks", nlohmann::json::array()}};
  bug["threads"] = {{{"number", 0}, {"name", "main"}}, {{"number", 1}, {"name", "worker"}}};
  bug["steps"] = {step(0, 0, at), step(1, 0, nullptr), step(2, 1, other)};
  bug["accesses"] = {access(0, 1, other), access(1, 3, at)};
  return {{"command", {"bin/queue_test"}}, {"bugs", nlohmann::json::array({bug})}};
}

nlohmann::json result_of(const nlohmann::json& report, bool has_baseline) {
  const auto bugs = bugs_of({{"Queue.Drains", report}}, TimingBugs::Fail);
  return nlohmann::json::parse(sarif(bugs, {"queue_test", "/home/u", has_baseline}))["runs"][0]["results"][0];
}

TEST(Sarif, StepsAndAccessesOfEachThreadInTheOrderOfAll) {
  const nlohmann::json found = report(), result = result_of(found, false);
  EXPECT_EQ(result["ruleId"], "data-race");
  EXPECT_EQ(result["message"]["text"], "data race in Queue.Drains: 50%: a, b\nand c");
  const nlohmann::json& flows = result["codeFlows"][0]["threadFlows"];
  ASSERT_EQ(flows.size(), 2u);
  EXPECT_EQ(flows[0]["message"]["text"], "main");
  const auto orders = [](const nlohmann::json& flow) {
    std::vector<int> orders;
    for (const nlohmann::json& step : flow["locations"]) orders.push_back(step["executionOrder"].get<int>());
    return orders;
  };
  EXPECT_EQ(orders(flows[0]), (std::vector{1, 2}));  // its step, its access
  EXPECT_EQ(orders(flows[1]), (std::vector{3, 4}));
  EXPECT_EQ(flows[0]["locations"][0]["importance"], "important");
  EXPECT_EQ(flows[1]["locations"][0]["importance"], "essential");
  EXPECT_EQ(flows[0]["locations"][1]["location"]["message"]["text"], "main writes, holding m: the race");
  EXPECT_EQ(result["stacks"].size(), 2u);
  EXPECT_EQ(result["partialFingerprints"]["heddle/key"], "data-race-00000001");
}

TEST(Sarif, PathsAreToldToTheRootWhereTheyLieBelowIt) {
  const nlohmann::json found = report(), result = result_of(found, false);
  const nlohmann::json& where = result["locations"][0]["physicalLocation"];
  EXPECT_EQ(where["artifactLocation"], (nlohmann::json{{"uri", "src/a%20b.cpp"}, {"uriBaseId", "SRCROOT"}}));
  EXPECT_EQ(where["region"]["startLine"], 3);
  const nlohmann::json& related = result["relatedLocations"][0];
  EXPECT_EQ(related["physicalLocation"]["artifactLocation"], (nlohmann::json{{"uri", "file:///opt/x.h"}}));
  EXPECT_EQ(below_root("/home/user/a.cpp", "/home/u"), "/home/user/a.cpp");
  EXPECT_EQ(below_root("/home/u/x/../a.cpp", "/home/u/"), "a.cpp");
}

TEST(Sarif, WhatIsKnownIsAWarning) {
  nlohmann::json found = report();
  EXPECT_EQ(result_of(found, true)["baselineState"], "new");
  found["bugs"][0]["known"] = true;
  EXPECT_EQ(result_of(found, true)["baselineState"], "unchanged");
  EXPECT_EQ(result_of(found, true)["level"], "warning");
}

TEST(Sarif, TheProgramStandsForAPlaceThatIsNotKnown) {
  nlohmann::json found = report();
  for (const char* field : {"places", "steps", "accesses"}) found["bugs"][0][field] = nlohmann::json::array();
  const nlohmann::json result = result_of(found, false);
  EXPECT_EQ(result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], "bin/queue_test");
  EXPECT_FALSE(result.contains("codeFlows"));
}

TEST(Annotations, AreEscaped) {
  nlohmann::json found = report();
  found["bugs"][0]["places"][0]["file"] = "/home/u/a,b:%c.cpp";
  const auto lines = [&] { return annotations(bugs_of({{"A::b, c", found}}, TimingBugs::Fail), "/home/u"); };
  EXPECT_EQ(lines(),
            "::error file=a%2Cb%3A%25c.cpp,line=3,title=data race in A%3A%3Ab%2C c::50%25: a, b%0Aand c%0Aheddle show "
            "out/bug-1.trace\n");
  found["bugs"][0]["known"] = true;
  found["bugs"][0]["places"] = nlohmann::json::array();
  EXPECT_EQ(lines().rfind("::warning title=data race", 0), 0u);
}

TEST(Annotations, ABugThatNeedsOnlyTimeMayBeAWarning) {
  nlohmann::json found = report();
  found["bugs"][0]["needs_only_time"] = true;
  EXPECT_TRUE(bugs_of({{"", found}}, TimingBugs::Fail)[0].fails);
  EXPECT_FALSE(bugs_of({{"", found}}, TimingBugs::Pass)[0].fails);
}

TEST(Baseline, OfARunAndOfASuite) {
  const std::string path = testing::TempDir() + "/baseline.json";
  const auto keys_of = [&](const nlohmann::json& content) {
    std::ofstream(path) << content;
    const Baseline baseline = read_baseline(path);
    EXPECT_EQ(baseline.error, "");
    return baseline.keys;
  };
  nlohmann::json one = report();
  one["format_version"] = 1;
  EXPECT_EQ(keys_of(one), (std::set<std::string>{"data-race-00000001"}));
  const nlohmann::json suite{{"format_version", 1}, {"tests", {{{"report", nullptr}}, {{"report", one}}}}};
  EXPECT_EQ(keys_of(suite), (std::set<std::string>{"data-race-00000001"}));
}

}  // namespace
}  // namespace heddle::cli
