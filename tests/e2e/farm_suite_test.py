# Suites on farms: whatever happens to workers and coordinator, the results are those of heddle test.
import json
import os
import shutil
import time
import unittest

import farms
import harness
from farms import PATIENCE_S, SERVER, children_of, wait_until
from harness import BUG, NO_VERDICT, OK, USAGE

# Tests by their names: one deadlocks, one crashes, two are correct, and one creates no thread. One of those that are
# correct has some thousand schedules with two preemptions, and takes its lock as often as the environment says.
SUITE = """#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER, two = PTHREAD_MUTEX_INITIALIZER;
static int value, *pointer, times;
static void both(pthread_mutex_t* first, pthread_mutex_t* second) {
  pthread_mutex_lock(first);
  pthread_mutex_lock(second);
  pthread_mutex_unlock(second);
  pthread_mutex_unlock(first);
}
static void* forwards(void* unused) { both(&one, &two); return unused; }
static void* backwards(void* unused) { both(&two, &one); return unused; }
static void* reads(void* unused) {
  pthread_mutex_lock(&one);
  value = *pointer;
  pthread_mutex_unlock(&one);
  return unused;
}
static void* often(void* unused) {
  for (int i = 0; i < times; ++i) forwards(unused);
  return unused;
}
static int with(void* (*other)(void*), void* (*here)(void*)) {
  pthread_t thread;
  pthread_create(&thread, 0, other, 0);
  here(0);
  return pthread_join(thread, 0);
}
static void* sets(void* unused) {
  pthread_mutex_lock(&one);
  pointer = &times;
  pthread_mutex_unlock(&one);
  return unused;
}
int main(int count, char** words) {
  times = getenv("TIMES") ? atoi(getenv("TIMES")) : 8;
  if (count < 2) return puts("long\\ncrossed\\nordered\\ncrash\\nalone") < 0;
  if (!strcmp(words[1], "long")) return with(often, often);
  if (!strcmp(words[1], "crossed")) return with(forwards, backwards);
  if (!strcmp(words[1], "ordered")) return with(forwards, forwards);
  if (!strcmp(words[1], "crash")) return with(reads, sets);
  return 0;
}
"""
SEARCH = ("--search=bounded", "--reduction=none", "--symmetry=no", "--stops=0", "--max-preemptions=2", "--time=100s")


@unittest.skipUnless(SERVER, "nats-server is not installed")
class FarmSuiteTest(farms.Farms):
    def setUp(self):
        super().setUp()
        self.program = self.build("suite", SUITE)
        self.options = [*SEARCH, "--output=none", f"--list={self.program}", "--select={}"]

    def suite(self, *words, **others):
        return self.start("farm", "test", "--json=farm.json", "-o", "on-farm", *self.options, *words, **others)

    def results(self, name):
        """By the names of the tests: their words, and the keys of their bugs."""
        report = self.scratch.read_report(self.scratch.path(name), "suite")
        return {test["name"]: (test["result"], test["reason"],
                               sorted(bug["key"] for bug in test["report"]["bugs"]) if test["report"] else None,
                               test["report"]["preemption_bound_proved"] if test["report"] else None)
                for test in report["tests"]}

    def of_one_machine(self):
        self.heddle(BUG, "test", "-j2", "--json=one.json", "-o", "here", *self.options, "--", self.program)
        results = self.results("one.json")
        self.assertEqual({name: result[0] for name, result in results.items()},
                         {"long": "ok", "crossed": "bug", "ordered": "ok", "crash": "bug", "alone": "skipped"})
        return results

    def of_farm(self, process):
        self.assertEqual(process.wait(timeout=240), BUG, self.said("output"))
        return self.results("farm.json")

    def kept(self, folder):
        root = self.scratch.path(folder)
        return sorted(os.path.relpath(os.path.join(folder, name), root)
                      for folder, _, names in os.walk(root) for name in names)

    # --- tests

    def test_the_results_and_what_is_kept_are_those_of_heddle_test(self):
        process = self.suite("-j2", "--junit=farm.xml", "--", self.program)
        found = self.of_farm(process)
        self.assertEqual(found, self.of_one_machine())
        self.assertEqual(self.kept("on-farm"), self.kept("here"))
        said = self.said("output")
        for line in ("5 tests of --list", "bug      crossed  deadlock in schedule",
                     "skipped  alone    it creates no thread",
                     "5 tests: 2 with a bug, 2 proved up to a bound, 1 without threads"):
            self.assertIn(line, said)
        with open(self.scratch.path("farm.xml"), encoding="utf-8") as file:
            self.assertIn('tests="5" failures="2" errors="0" skipped="1"', file.read())
        for test in self.scratch.read_report(self.scratch.path("farm.json"), "suite")["tests"]:
            for bug in test["report"]["bugs"]:
                self.assertIn(f"heddle show {bug['trace']}", said)
                self.heddle(BUG, "replay", bug["trace"]).require_says("Reproduced: ")
        self.heddle(OK, "show", "on-farm/bug-2.trace").require_says("crash")

    def test_a_worker_that_is_killed_in_a_test_costs_nothing_but_time(self):
        server = self.serve()
        process = self.suite(f"--farm={server.url}", "--", self.program)
        wait_until(lambda: self.status(server).get("shards_waiting") == 5, "the tests wait")
        address = f"--farm={server.url}"
        self.assertIn("Running: 0 of 5 tests done, 0 with a bug\n", self.heddle(OK, "farm", "status", address).text)
        worker = self.worker(server)
        wait_until(lambda: self.is_stopped_in_a_shard(worker), "a test is run")
        runs = children_of(worker.pid)
        worker.kill()
        worker.wait()
        wait_until(lambda: not any(farms.is_running(run) for run in runs), "the test ends with its worker")
        self.worker(server, name="late")
        self.worker(server, name="later")
        self.assertEqual(self.of_farm(process), self.of_one_machine())
        over = self.heddle(OK, "farm", "status", address).text
        self.assertIn("Tests: 5 of 5 tests done, 2 with a bug\n", over)
        self.assertIn("ended: done", over)
        self.heddle(OK, "farm", "status", address, "--json=status.json")
        self.assertEqual(self.scratch.read_report("status.json", "farm_suite")["tests_done"], 5)
        figures = self.heddle(OK, "farm", "status", "--prometheus", address).text
        for line in ("heddle_farm_tests", "heddle_farm_tests_done"):
            self.assertIn(line + '{farm="heddle"} 5\n', figures)
        self.assertNotIn("preemption_bound_proved", figures)

    def test_a_coordinator_that_is_killed_is_followed_by_another(self):
        server = self.serve()
        process = self.suite(f"--farm={server.url}", "--", self.program)
        worker = self.worker(server)
        wait_until(lambda: self.is_in_a_shard(worker, "worker"), "a test is run")
        process.kill()
        process.wait()
        attached = self.start("farm", "attach", f"--farm={server.url}", "--json=farm.json", "--time=100s")
        self.assertEqual(self.of_farm(attached), self.of_one_machine())
        self.assertEqual(worker.wait(timeout=PATIENCE_S), OK)

    def test_a_test_whose_process_always_ends_is_told_and_the_others_are_run(self):
        server = self.serve()
        there = {"TIMES": "1000"}  # it does not end by itself before that
        process = self.suite(f"--farm={server.url}", "--", self.program, environment=there)
        worker = self.worker(server, environment=there)
        wait_until(lambda: "works on" in self.said("worker"), "the worker is ready")
        late = time.monotonic() + PATIENCE_S
        while process.poll() is None and time.monotonic() < late:
            for run in children_of(worker.pid):
                self.kill_if_long(run)
            time.sleep(0.02)
        results = self.of_farm(process)
        self.assertEqual(results["long"][0], "unknown")
        self.assertIn("the process of a shard ended without a result", results["long"][1])
        self.assertIn(", 3 times", results["long"][1])
        expected = self.of_one_machine()
        self.assertEqual({**results, "long": None}, {**expected, "long": None})

    @staticmethod
    def kill_if_long(run):
        """The shard with the number 1 is the first test."""
        try:
            with open(f"/proc/{run}/cmdline", encoding="utf-8") as file:
                folder = file.read().split("\0")[2]
            with open(folder + "/shard", "rb") as shard:
                if b"\x62id\x01" in shard.read():
                    os.kill(run, 9)
        except (OSError, IndexError):
            pass

    def test_the_program_travels_and_a_worker_on_which_it_behaves_otherwise_refuses(self):
        server = self.serve()
        process = self.suite(f"--farm={server.url}", "--", self.program)
        wait_until(lambda: self.status(server).get("shards_waiting") == 5, "the tests wait")
        os.rename(self.program, self.program + ".away")
        elsewhere = self.scratch.path("elsewhere")
        os.mkdir(elsewhere)
        other = self.worker(server, name="other", environment={"TIMES": "3"}, folder=elsewhere)
        self.assertEqual(other.wait(timeout=PATIENCE_S), NO_VERDICT)
        self.assertIn("the first schedule differs here from where the farm was started", self.said("other"))
        self.worker(server, folder=elsewhere)
        found = self.of_farm(process)
        os.rename(self.program + ".away", self.program)
        self.assertEqual(found, self.of_one_machine())
        with open(self.scratch.path("farm.json"), encoding="utf-8") as file:
            text = file.read()
        self.assertIn(self.program, text)
        self.assertNotIn("heddle-farm/", text)  # where the worker had it

    def test_a_server_that_is_killed_goes_on_where_it_was(self):
        server = self.serve()
        process = self.suite(f"--farm={server.url}", "--", self.program)
        worker = self.worker(server)
        wait_until(lambda: self.is_in_a_shard(worker, "worker"), "a test is run")
        server.kill()
        server.start()
        self.assertEqual(self.of_farm(process), self.of_one_machine())
        self.assertEqual(worker.wait(timeout=PATIENCE_S), OK)

    @unittest.skipUnless(farms.SANDBOX, "bubblewrap is not installed, or user namespaces are forbidden")
    def test_in_a_sandbox_the_results_are_those_of_one_machine(self):
        server = self.serve()
        process = self.suite(f"--farm={server.url}", "--", self.program)
        self.worker(server, sandbox="yes")
        self.assertEqual(self.of_farm(process), self.of_one_machine())

    def test_a_baseline_travels(self):
        self.of_one_machine()
        server = self.serve()
        process = self.suite(f"--farm={server.url}", "--baseline=one.json", "--", self.program)
        wait_until(lambda: self.status(server).get("shards_waiting") == 5, "the tests wait")
        elsewhere = self.scratch.path("elsewhere")
        os.mkdir(elsewhere)
        self.worker(server, folder=elsewhere)
        self.assertEqual(process.wait(timeout=PATIENCE_S), OK, self.said("output"))
        words = {name: result[0] for name, result in self.results("farm.json").items()}
        self.assertEqual(words, {"long": "ok", "crossed": "known", "ordered": "ok", "crash": "known",
                                 "alone": "skipped"})

    def test_why_a_test_can_not_be_run_is_told_as_on_one_machine(self):
        options = ["--search=random", "--require-bound=9", "--time=20s", f"--list={self.program}", "--select={}", "--",
                   self.program]
        self.heddle(None, "test", "-j2", "--json=one.json", *options)
        process = self.start("farm", "test", "-j2", "--json=farm.json", *options)
        self.assertNotIn(process.wait(timeout=PATIENCE_S), (OK, BUG), self.said("output"))
        self.assertEqual(self.results("farm.json"), self.results("one.json"))
        self.assertIn("--search=random proves no bound", self.results("farm.json")["ordered"][1])

    def test_where_time_is_left_a_test_with_schedules_left_gets_it(self):
        process = self.start("farm", "test", "-j1", "--json=farm.json", "--time=9s", "--select={}",
                             "--list=printf 'long\\na\\nb\\nc\\nd\\ne\\n'", "--", self.program,
                             environment={"TIMES": "200"})
        self.assertEqual(process.wait(timeout=PATIENCE_S), OK, self.said("output"))
        said = self.said("output")
        self.assertIn("1 test had schedules left: ", said)
        self.assertEqual(said.count("ok       long"), 2, said)
        report = self.scratch.read_report(self.scratch.path("farm.json"), "suite")["tests"][0]["report"]
        self.assertGreater(report["seconds"], 1.5)
        self.heddle(OK, "farm", "attach", "-j1", "--json=again.json", "--time=100ms")  # all of it is there
        again = self.scratch.read_report(self.scratch.path("again.json"), "suite")["tests"][0]["report"]
        self.assertEqual(again["schedules"], report["schedules"])

    def test_wrong_use_is_told(self):
        for words, told in ((["farm", "test"], "no program was given: heddle farm test"),
                            (["farm", "test", "--", self.program], "is no program of GoogleTest"),
                            (["farm", "test", "--farm=here", "true"], "this is no address"),
                            (["farm", "test", "--worker-memory=1M", "true"], "of at least 256M"),
                            (["farm", "test", "--memory=tso", "--races=ignore", "--select={}", "--list=echo a", "--",
                              self.program], "leave --races=ignore out"),
                            (["farm", "test", "--regressions=yes", "true"], "--regressions"),
                            (["farm", "test", "--baseline=x", "true"], "--baseline: x")):
            result = self.heddle(USAGE, *words)
            self.assertIn(told, result.text, words)


if __name__ == "__main__":
    harness.main()
