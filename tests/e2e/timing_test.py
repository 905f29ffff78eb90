# Tests that rely on time: deadlines that pass in order, and failed checks that need only time.
import os
import xml.etree.ElementTree

import harness
from harness import BUG, NO_VERDICT, OK

# Main is done after 100 ms and the watchdog waits for 5 s: only a machine that stands still makes it bite. BODY is what
# main does besides.
WATCHDOG = """
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <thread>
using namespace std::chrono_literals;
std::mutex mutex;
std::condition_variable changed;
bool kicked;
int* volatile null = nullptr;
static void other() {
  std::unique_lock<std::mutex> held(mutex);
  const bool came = changed.wait_for(held, 5s, [] { return kicked; });
  AT_THE_END;
}
static void kick() {
  std::thread thread(other);
  std::this_thread::sleep_for(100ms);
  BODY
  { std::lock_guard<std::mutex> held(mutex); kicked = true; }
  changed.notify_one();
  thread.join();
}
int main(int count, char** words) {
  if (count > 1 && std::strcmp(words[1], "list") == 0) return puts("kick") < 0;
  kick();
}
"""
# Whatever the time: another thread sees two states in between. That takes more preemptions than the watchdog.
STATES = """
  static int state;
  const auto set = [](int to) { std::lock_guard<std::mutex> held(mutex); state = to; };
  const auto get = [] { std::lock_guard<std::mutex> held(mutex); return state; };
  std::thread reader([get] { const int one = get(), other = get(); assert(one != 1 || other != 2); });
  for (const int to : {1, 0, 2, 0}) set(to);
  reader.join();
"""
MANY = """
  static std::mutex locks[40];
  const auto work = [] { for (auto& lock : locks) std::lock_guard<std::mutex> held(lock); };
  std::thread threads[] = {std::thread(work), std::thread(work), std::thread(work), std::thread(work)};
  for (auto& one : threads) one.join();
"""


class Timing(harness.TestCase):
    def build(self, body="", at_the_end="assert(came)", waits="5s"):
        source, program = self.scratch.path("watchdog.cpp"), self.scratch.path("watchdog")
        with open(source, "w", encoding="utf-8") as file:
            file.write(WATCHDOG.replace("BODY", body).replace("AT_THE_END", at_the_end).replace("5s", waits))
        built = harness.run(["g++", "-std=c++17", "-g", "-pthread", source, "-o", program], self.scratch.folder)
        built.require_status(0)
        return program

    def test_what_needs_only_time(self):
        program = self.build()
        for carrier in ("fiber", "thread"):
            for search in ("auto", "random", "dpor"):
                options = ("--carrier=" + carrier, "--search=" + search)
                result, report = self.scratch.run_heddle(*options, program)
                result.require_status(BUG)
                self.assertRegex(result.text, "needs only time: [0-9]+ schedules? with --timeouts=ordered did not show "
                                 "it. Proved: every schedule was run")
                result.require_says("1 bug found, of time only", "Next: --timeouts=ordered")
                self.assertEqual((len(report["bugs"]), report["verdict"]), (1, "bug"))
                self.assertTrue(report["bugs"][0]["needs_only_time"])
                self.assertTrue(os.path.exists(harness.trace_of(report, self.scratch)))
        result, _ = self.scratch.run_heddle("--timing-bugs=pass", program)
        result.require_status(OK)
        result.require_says("needs only time")
        result, _ = self.scratch.run_heddle("--timing-bugs=pass", "--require-bound=1", program)
        result.require_status(NO_VERDICT)  # the search that proves bounds has stopped at the bug

    # A walk lets a long wait end early in every sixth schedule at most, so that the others show the program at work.
    def test_a_long_watchdog_rarely_fires(self):
        fired = {}
        for waits in ("101ms", "40s"):
            program = self.build(MANY, "if (!came) std::_Exit(3)", waits)
            log = self.scratch.path("log")
            self.scratch.run_heddle("--search=random", "--max-schedules=300", "--keep-going", "--minimize=no",
                                    "--execution-log=" + log, program)[0].require_status(BUG)
            with open(log, encoding="utf-8") as lines:
                fired[waits] = sum(" exited 3 " in line for line in lines)
        self.assertGreater(fired["40s"], 0)
        self.assertLess(3 * fired["40s"], fired["101ms"])

    def test_in_order_it_passes(self):
        for options in ((), ("--carrier=thread",), ("--search=dpor",), ("--search=random", "--max-schedules=200")):
            result, report = self.scratch.run_heddle("--timeouts=ordered", *options, self.build())
            result.require_status(OK)
            self.assertEqual(report["bugs"], [])

    def test_what_comes_in_order_too_is_a_failure(self):
        result, report = self.scratch.run_heddle(self.build("std::this_thread::sleep_for(6s);"))
        result.require_status(BUG)
        self.assertNotIn("needs only time", result.text)
        self.assertEqual([bug["needs_only_time"] for bug in report["bugs"]], [False])

    def test_a_check_of_how_long_it_took_needs_only_time(self):
        clock = "const auto now = [] { return std::chrono::steady_clock::now(); }; const auto begin = now();"
        program = self.build(clock + "assert(now() - begin < 500ms);", "(void)came")
        result, report = self.scratch.run_heddle("--timing-bugs=pass", program)
        result.require_status(OK)
        result.require_says("needs a slow thread: main", "needs only time: ")
        self.assertEqual([bug["needs_only_time"] for bug in report["bugs"]], [True])
        program = self.build(clock + "sleep_for(1s); assert(now() - begin < 500ms);".replace(
            "sleep_for", "std::this_thread::sleep_for"), "(void)came")
        self.scratch.run_heddle("--timing-bugs=pass", program)[0].require_status(BUG)

    # Main's sleep ends where nothing else can go on: no wait ends out of order.
    def test_a_sleep_that_ends_in_order_is_no_excuse(self):
        program = self.build("{ std::lock_guard<std::mutex> held(mutex); assert(!kicked && false); }")
        result, report = self.scratch.run_heddle("--timing-bugs=pass", program)
        result.require_status(BUG)
        self.assertEqual([bug["needs_only_time"] for bug in report["bugs"]], [False])

    def test_a_crash_is_a_failure_whatever_the_time(self):
        result, report = self.scratch.run_heddle(self.build(at_the_end="if (!came) *null = 0"))
        result.require_status(BUG)
        self.assertEqual([bug["needs_only_time"] for bug in report["bugs"]], [False])

    # The search stops at the first bug, which needs only time. The second search finds the other.
    def test_the_search_in_order_reports_what_it_finds(self):
        result, report = self.scratch.run_heddle("--timing-bugs=pass", "--search=bounded", self.build(STATES))
        result.require_status(BUG)
        timing = [bug["needs_only_time"] for bug in report["bugs"]]
        self.assertEqual(timing, [False, False])  # the second search has not run everything
        self.assertEqual([bug["may_need_only_time"] for bug in report["bugs"]], [True, False])
        result.require_says("may need only time: ", "more --time may decide it")
        for bug in report["bugs"]:
            replay = self.scratch.heddle("replay", bug["trace"])
            replay.require_status(BUG)
        self.assertIn("other != 2", report["bugs"][1]["message"])

    def test_a_suite_passes_with_it(self):
        junit = self.scratch.path("results.xml")
        program = self.build()
        result = self.scratch.heddle("test", "--timing-bugs=pass", f"--list={program} list", "--select={}",
                                     "--junit=" + junit, "--time=10s", program)
        result.require_status(OK)
        result.require_says("timing   kick", "1 with a bug that needs only time")
        suite = xml.etree.ElementTree.parse(junit).getroot()[0]
        self.assertEqual((suite.get("failures"), suite.get("skipped")), ("0", "1"))

    # In order, too, there are more schedules than anyone can run.
    def test_a_suite_says_what_may_need_only_time(self):
        program = self.build(MANY)
        select = (f"--list={program} list", "--select={}", program)
        result = self.scratch.heddle("test", "--timing-bugs=pass", "--time=1s", *select)
        result.require_status(BUG)
        result.require_says("; it may need only time",
                            "Next: 1 test may have failed only because a wait ended early or a thread was slow")
        result = self.scratch.heddle("test", "--timeouts=ordered", "--max-schedules=50", *select)
        result.require_status(OK)
        self.assertNotIn("Next:", result.text)


if __name__ == "__main__":
    harness.main()
