# Each test of a program by itself: heddle test.
import os
import re
import xml.etree.ElementTree

import harness
from harness import BUG, NO_VERDICT, OK, USAGE

# What the tests of each framework do.
BODIES = """
#include <mutex>
#include <thread>
struct Pair {
  std::mutex first, second;
  int sum = 0;
  void up() { std::lock_guard one(first); std::lock_guard two(second); ++sum; }
  void down() { std::lock_guard one(second); std::lock_guard two(first); --sum; }
};
static void crossed() {
  Pair pair;
  std::thread other([&] { pair.down(); });
  pair.up();
  other.join();
}
static void ordered() {
  Pair pair;
  std::thread other([&] { pair.up(); });
  pair.up();
  other.join();
}
static int add(int one, int two) { return one + two; }
"""
GOOGLE = BODIES + """
#include <gtest/gtest.h>
TEST(Locks, Crossed) { crossed(); }
TEST(Locks, Ordered) { ordered(); }
TEST(Locks, DISABLED_Crossed) { crossed(); }
TEST(Sums, Add) { EXPECT_EQ(add(1, 2), 3); }
class Times : public testing::TestWithParam<int> {};
TEST_P(Times, Ordered) { for (int i = 0; i < GetParam(); ++i) ordered(); }
INSTANTIATE_TEST_SUITE_P(Few, Times, testing::Values(1, 2));
"""
OWN = BODIES + """
#include <cstdio>
#include <cstring>
int main(int count, char** words) {
  if (count < 3) return std::puts("crossed\\nordered\\nadd") < 0;
  if (std::strcmp(words[2], "crossed") == 0) crossed();
  if (std::strcmp(words[2], "ordered") == 0) ordered();
  if (std::strcmp(words[2], "long") == 0) for (int i = 0; i < 40; ++i) ordered();
  return add(1, 2) != 3;
}
"""


class Suites(harness.TestCase):
    def build(self, text, *libraries):
        source, program = self.scratch.path("tests.cpp"), self.scratch.path("tests")
        with open(source, "w", encoding="utf-8") as file:
            file.write(text)
        harness.run(["g++", "-std=c++17", "-g", "-O1", "-pthread", source, "-o", program, *libraries],
                    self.scratch.folder, timeout_s=120).require_status(OK)
        return program

    def suite(self, program, *options, status=BUG):
        """What heddle test found, by name: the kind of its bug, or what was proved."""
        out = self.scratch.path("suite.json")
        result = self.scratch.heddle("test", f"--json={out}", "--time=60s", *options, program)
        result.require_status(status)
        report = self.scratch.read_report(out, "suite")
        return result, report["framework"], {test["name"]: self.outcome(test["report"]) for test in report["tests"]}

    @staticmethod
    def outcome(report):
        if report["bugs"]:
            return report["bugs"][0]["kind"]
        return "complete" if report["complete"] else report["stop_reason"]

    def test_google_test(self):
        program = self.build(GOOGLE, "-lgtest", "-lgtest_main")
        junit = self.scratch.path("junit.xml")
        result, framework, tests = self.suite(program, f"--junit={junit}", "-j2")
        self.assertEqual(framework, "GoogleTest")
        words = {test["name"]: test["result"] for test in
                 self.scratch.read_report(self.scratch.path("suite.json"), "suite")["tests"]}
        self.assertEqual((words["Locks.Crossed"], words["Locks.Ordered"], words["Sums.Add"]), ("bug", "ok", "skipped"))
        self.assertEqual(tests, {"Locks.Crossed": "deadlock", "Locks.Ordered": "complete",
                                 "Sums.Add": "nothing_to_explore", "Few/Times.Ordered/0": "complete",
                                 "Few/Times.Ordered/1": "complete"})
        result.require_says("bug      Locks.Crossed", "skipped  Sums.Add             it creates no thread",
                            "Bug 1 in Locks.Crossed: deadlock",
                            "5 tests: 1 with a bug, 3 explored completely, 1 without threads")
        self.check_junit(junit)
        trace = next(line.split()[-1] for line in result.text.splitlines() if "heddle replay" in line)
        self.scratch.heddle("replay", trace).require_status(BUG)
        again = self.scratch.heddle("test", "-q", "--gtest_filter=Locks.*", program)
        again.require_status(USAGE)
        self.check_filter(program)
        unknown = self.scratch.heddle("test", "--list=echo No.Such", "--select=--gtest_filter={}", program)
        unknown.require_status(NO_VERDICT)
        unknown.require_says("unknown  No.Such  no GoogleTest test was selected")

    def check_junit(self, path):
        suite = xml.etree.ElementTree.parse(path).getroot().find("testsuite")
        self.assertEqual([suite.get(name) for name in ("name", "tests", "failures", "errors", "skipped")],
                         ["tests", "5", "1", "0", "1"])
        cases = {case.get("name"): case for case in suite.iter("testcase")}
        failure = cases["Locks.Crossed"].find("failure")
        self.assertEqual(failure.get("type"), "deadlock")
        self.assertIn("heddle replay", failure.text)
        self.assertIsNotNone(cases["Sums.Add"].find("skipped"))
        self.assertIn("every schedule was run, or is equivalent to one that was",
                      cases["Locks.Ordered"].find("system-out").text)

    def check_filter(self, program):
        """The program's own filter holds."""
        out = self.scratch.path("suite.json")
        self.scratch.heddle("test", f"--json={out}", program, "--gtest_filter=*.Ordered*").require_status(OK)
        names = [test["name"] for test in self.scratch.read_report(out, "suite")["tests"]]
        self.assertEqual(names, ["Locks.Ordered", "Few/Times.Ordered/0", "Few/Times.Ordered/1"])

    def test_other_frameworks(self):
        expected = {"good": "complete", "bad": "assertion", "crash": "crash"}
        for framework in ("Catch2", "doctest", "Boost.Test", "CppUTest"):
            program = harness.program(f"tests/real_programs/{framework.split('.')[0].lower()}_accounts")
            if not os.path.exists(program):
                continue
            result, found, tests = self.suite(program, "--output=none")
            self.assertEqual(found, framework)
            named = {name.split(".")[-1]: outcome for name, outcome in tests.items()}
            self.assertGreaterEqual(set(named), {"good", "bad"})
            for name in set(named) & set(expected):  # one of CppUTest has no crash
                self.assertEqual(named[name], expected[name], f"{framework}: {name}\n{result.text}")

    def test_a_runner_of_ones_own(self):
        program = self.build(OWN)
        _, framework, tests = self.suite(program, f"--list={program}", "--select=--only {}")
        self.assertIsNone(framework)
        self.assertEqual(tests, {"crossed": "deadlock", "ordered": "complete", "add": "nothing_to_explore"})
        for options, says in ((("--list=echo x",), "--list and --select belong together"),
                              (("--list=true", "--select={}"), "printed no names"),
                              ((), "is no program of GoogleTest")):
            result = self.scratch.heddle("test", *options, program)
            result.require_status(USAGE)
            result.require_says(says)

    # What a search with delays has proved is no less a proof.
    def test_what_delays_prove(self):
        program = self.build(OWN)
        result = self.scratch.heddle("test", "--search=delay", "--max-delays=1", "--list=echo ordered",
                                     "--select=--only {}", program)
        result.require_status(OK)
        result.require_says("every schedule with at most 1 delay was run\n", "proved up to a bound")
        self.assertNotIn("nothing was proved", result.text)

    def test_every_bug_has_a_number(self):
        """By which all commands find it, and --explain says once what the lines of the tests mean."""
        os.mkdir(self.scratch.path(".heddle"))  # else the store would be at the top of the working tree
        program = self.build(OWN)
        suite = ["test", "-j2", "--minimize=no", "--list=echo crossed; echo ordered; echo crossed",
                 "--select=--only {}"]
        result = self.scratch.heddle(*suite, "--explain", program)
        result.require_status(BUG)
        result.require_says("Bug 1 in crossed: deadlock", "Bug 2 in crossed: deadlock",
                            "same steps. [ordered]\n  A schedule is one order",
                            "Not checked: data races. [all 3 tests]\n")
        self.assertEqual(result.text.count("A data race is two accesses"), 1)
        folder = "heddle-out/tests-tests-1"
        self.assertEqual(os.readlink(self.scratch.path("heddle-out/latest")), "tests-tests-1")
        for number, test in ((1, "1-crossed"), (2, "3-crossed")):
            self.assertEqual(os.path.realpath(self.scratch.path(f"{folder}/bug-{number}.trace")),
                             os.path.realpath(self.scratch.path(f"{folder}/{test}/bug-1.trace")))
            self.scratch.heddle("show", str(number)).require_says("Deadlock in ")
            self.scratch.heddle("replay", str(number)).require_status(BUG)
        none = self.scratch.heddle("show", "3")
        none.require_status(USAGE)
        none.require_says(f"there is no bug 3 in {folder}")
        added = self.scratch.heddle("add", folder)
        added.require_status(OK)
        self.assertEqual(added.stdout.count("It is tried first in each: heddle run"), 2)
        plain = self.scratch.heddle(*suite, program)
        plain.require("one order in which" not in plain.text, "it is explained, though nobody asked")
        self.assertEqual(os.readlink(self.scratch.path("heddle-out/latest")), "tests-tests-2")

    def test_what_is_left_of_the_time_goes_to_those_that_are_not_through(self):
        """One ends early, and the other one goes on where it was."""
        program = self.build(OWN)
        result = self.scratch.heddle("test", "--time=6s", "-j2", "--search=dpor", "--list=echo ordered; echo long",
                                     "--select=--only {}", program)
        more = re.search(r"1 test had schedules left: ([0-9.]+) s more for it", result.text)
        self.assertIsNotNone(more, result.text)
        self.assertLess(float(more[1]), 6, "one test can't have the time of two workers")
        lines = [line for line in result.text.splitlines() if line.startswith("ok       long")]
        self.assertEqual(len(lines), 2, result.text)
        schedules = [int(line.split()[2].replace(",", "")) for line in lines]
        self.assertGreater(schedules[1], 2 * schedules[0], result.text)
        self.assertTrue(os.path.isdir(self.scratch.path("heddle-out/tests-tests-1")))


if __name__ == "__main__":
    harness.main()
