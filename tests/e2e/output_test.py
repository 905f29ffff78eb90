# What heddle prints and writes: the JSON report, where output goes, several runs side by side.
import json
import os
import subprocess

import harness
from harness import BUG, OK

FIELDS = ["format_version", "heddle_version", "command", "verdict", "stop_reason", "complete",
          "preemption_bound_proved", "points", "assumptions", "lost_coverage", "schedules", "distinct_executions",
          "seconds", "schedules_per_second", "steps_max", "tasks_max", "carrier", "isolation", "seed", "bugs"]
BUG_FIELDS = ["id", "kind", "message", "site", "trace", "schedule", "preemptions", "replays"]
# Two threads, of which who comes first says what `order` is.
TWO_ORDERS = """static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int order;
static void* work(void* argument) {
  pthread_mutex_lock(&mutex);
  order = order * 10 + *(int*)argument;
  pthread_mutex_unlock(&mutex);
  return 0;
}
"""
PRINTS = """#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
""" + TWO_ORDERS + """int main(void) {
  static int ids[] = {1, 2};
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], 0, work, &ids[i]);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], 0);
  printf("the order was %d\\n", order);
  return order == 21;
}
"""
# Some schedules end with a status and print nothing, others with an assertion.
QUIET_OR_NOT = """#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>
static unsigned hash = 1;
static void* mix(void* argument) {
  for (int i = 0; i < 3; ++i) {
    sched_yield();
    hash = hash * 5 + (unsigned)(size_t)argument;
  }
  return NULL;
}
int main(void) {
  pthread_t threads[2];
  for (size_t i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, mix, (void*)(i + 1));
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  assert(hash % 11 != 3);
  return hash % 5 == 2 ? 1 : 0;
}
"""
# One order of two ends the program, by END; each prints a line in every schedule.
PRINTS_AND_ENDS = """#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
""" + TWO_ORDERS + """static void fail_again(int signal) {
  write(1, "in the handler\\n", 15);
  *(volatile int*)0 = signal;
}
int main(void) {
  static int ids[] = {1, 2};
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], 0, work, &ids[i]);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], 0);
  printf("a line\\n");
  fflush(stdout);
  if (order != 21) return 0;
  printf("about to end\\n");
  fflush(stdout);
  END;
  return 0;
}
"""
ENDS = ["_exit(3)", "abort()", "syscall(SYS_exit_group, 3)", "kill(getpid(), SIGKILL)", "kill(getpid(), SIGTERM)",
        "*(volatile int*)0 = 1", "signal(SIGSEGV, fail_again); *(volatile int*)0 = 1"]


class Output(harness.TestCase):
    def build_printer(self):
        source = self.scratch.path("printer.c")
        with open(source, "w", encoding="utf-8") as file:
            file.write(PRINTS)
        harness.run(["gcc", "-g", "-pthread", source, "-o", "printer"], self.scratch.folder).require_status(0)
        return self.scratch.path("printer")

    def test_nobody_gets_the_output_of_later_schedules(self):
        """Of a failing schedule that printed nothing the target does not wait until its end has been read."""
        source, program, log = (self.scratch.path(name) for name in ("quiet.c", "quiet", "log"))
        with open(source, "w", encoding="utf-8") as file:
            file.write(QUIET_OR_NOT)
        harness.run(["gcc", "-g", "-pthread", source, "-o", program], self.scratch.folder).require_status(0)
        logs = []
        for isolation in ("fork", "snapshot", "snapshot"):
            result, report = self.scratch.run_heddle("--search=random", "--max-schedules=2000", "-j1", "--keep-going",
                                                     f"--isolation={isolation}", f"--execution-log={log}", program)
            result.require_status(BUG)
            messages = [bug["message"] for bug in report["bugs"]]
            self.assertIn("the program ended with exit status 1", messages)
            with open(log, encoding="utf-8") as file:
                logs.append(file.readlines())
        self.assertTrue(logs[0] == logs[1] == logs[2], "what is recorded of some schedule differs")

    def test_nothing_printed_is_lost(self):
        """However an execution ends: on a snapshot what it prints is written when somebody wants it."""
        source, program = self.scratch.path("ends.c"), self.scratch.path("ends")
        with open(source, "w", encoding="utf-8") as file:
            file.write(PRINTS_AND_ENDS)
        for end in ENDS:
            harness.run(["gcc", "-g", "-w", "-pthread", f"-DEND={end}", source, "-o", program],
                        self.scratch.folder).require_status(0)
            printed = ["a line", "about to end"] + (["in the handler"] if "fail_again" in end else [])
            for isolation in ("snapshot", "fork"):
                with self.subTest(end=end, isolation=isolation):
                    result = self.scratch.heddle("run", "-q", f"--isolation={isolation}", program)
                    result.require_status(BUG)
                    lines = [line.strip() for line in result.text.splitlines()]
                    first = lines.index("a line")
                    self.assertEqual(lines[first:first + len(printed)], printed)
                    self.assertEqual(lines.count("a line"), 1, "the output of another schedule")

    def test_json_fields(self):
        result, report = self.scratch.run_heddle(harness.program("corpus/bank_account"))
        for field in FIELDS:
            result.require(field in report, f"the report lacks {field}")
        for field in BUG_FIELDS:
            result.require(field in report["bugs"][0], f"the bug lacks {field}")

    def test_json_on_standard_output(self):
        result = self.scratch.heddle("run", "--json=-", "--output=all", self.build_printer())
        result.require_status(BUG)
        report = json.loads(result.stdout)
        self.assertEqual(report["verdict"], "bug")
        self.assertIn("the order was 21", result.stderr)

    def test_output_failing_is_the_default(self):
        result = self.scratch.heddle("run", self.build_printer())
        result.require_status(BUG)
        result.require("the order was 21" in result.text, "what the failing execution printed is missing")
        result.require("the order was 12" not in result.text, "what a passing execution printed is there")

    def test_output_none(self):
        result = self.scratch.heddle("run", "--output=none", self.build_printer())
        result.require("Output of the program" not in result.text, "the program's output is there")

    def test_quiet(self):
        result = self.scratch.heddle("run", "-q", harness.program("corpus/abba_ordered"))
        result.require_status(OK)
        result.require(len(result.text.splitlines()) <= 2, "more than the verdict")

    def test_last_sentence_of_a_clean_run(self):
        result = self.scratch.heddle("run", "--max-preemptions=1", harness.program("corpus/philosophers_ordered"))
        result.require_status(OK)
        result.require_says("at most 1 preemption", "Not checked: data races.", "at least 2",
                            "atomics and memory accesses, yours and your libraries', ran uninterrupted")

    def test_random_search_promises_nothing(self):
        result, report = self.scratch.run_heddle("--search=random", "--max-schedules=100",
                                                 harness.program("corpus/philosophers_ordered"))
        result.require_status(OK)
        self.assertIsNone(report["preemption_bound_proved"])
        self.assertFalse(report["complete"])
        result.require("every schedule" not in result.text, "promises what was not proved")

    def test_same_search_twice_is_the_same(self):
        reports = [self.scratch.run_heddle("--search=random", "--seed=3", harness.program("corpus/philosophers"))[1]
                   for _ in range(2)]
        self.assertEqual(reports[0]["bugs"][0]["schedule"], reports[1]["bugs"][0]["schedule"])

    def test_first_schedule_is_labelled(self):
        result = self.scratch.heddle("run", harness.program("corpus/barrier_wrong_count"))
        result.require_says("without any preemption")

    def test_side_by_side(self):
        """Eight runs in one folder at once, as under ctest -j: each keeps its own."""
        command = [harness.OPTIONS.heddle, "run", harness.program("corpus/bank_account")]
        runs = [subprocess.Popen(command, cwd=self.scratch.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                 text=True) for _ in range(8)]
        for process in runs:
            output = process.communicate(timeout=60)[0]
            self.assertEqual(process.returncode, BUG, output)
        folders = [name for name in os.listdir(self.scratch.path("heddle-out")) if name != "latest"]
        self.assertEqual(len(folders), 8, folders)
        self.scratch.heddle("replay").require_status(BUG)

    def test_a_page_as_markdown(self):
        """Of a search in a terminal, too: the page has no colours and no padding, whatever the width."""
        self.scratch.heddle("run", harness.program("corpus/abba_deadlock")).require_status(BUG)
        for options, head in ((["--full"], "| step | main |"), ([], "| step | thread |")):
            page = self.scratch.heddle("show", "--format=markdown", "--color=always", "--width=50", *options)
            page.require_status(OK)
            page.require_says("### Deadlock in `", "#### What went wrong", head, "abba_deadlock.c:")
            table = [line for line in page.stdout.splitlines() if line.startswith("|")]
            cells = {line.replace("\\|", "").count("|") for line in table}
            page.require(len(cells) == 1, "the rows differ in their cells")
            page.require(any(line.startswith("| end |") for line in table), "the chart has no end")
            page.require("\x1b" not in page.stdout and "   " not in page.stdout, "it has colours, or padding")
        text = self.scratch.heddle("show", "--format=text")
        text.require(len(text.stdout.splitlines()) <= 40, "the page of a typical bug does not fit a screen")
        full = self.scratch.heddle("show", "--full")
        full.require(len(full.stdout) > len(text.stdout), "--full says no more")
        self.assertEqual(text.stdout, self.scratch.heddle("show").stdout, "text is what is shown by default")
        self.scratch.heddle("show", "--format=pdf").require_says("--format", "text, markdown")

    def test_version_and_help(self):
        for words in (["--version"], ["--help"], ["run", "--help"], ["replay", "--help"], ["show", "--help"]):
            result = self.scratch.heddle(*words)
            result.require_status(OK)
        result = self.scratch.heddle("run", "--help")
        result.require_says("--max-preemptions", "--carrier", "--json", "--ok-exit", "--early-timeouts")


if __name__ == "__main__":
    harness.main()
