# Best-first search: priorities, functions and variables to begin with, a priority of one's own, and orders of
# statements as a guide and as a file.
import os
import shutil
import subprocess

import harness
from harness import BUG, OK, OPTIONS, USAGE

PRIORITIES = ("dpor", "mdpor", "ss", "race", "new", "hapset", "rand", "mdpor,pb", "race,hapset,pb")


POLLS = """#include <pthread.h>
#include <sched.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int flag;
static void* set(void* unused) {
  pthread_mutex_lock(&mutex);
  flag = 1;
  pthread_mutex_unlock(&mutex);
  return unused;
}
int main(void) {
  pthread_t other;
  pthread_create(&other, 0, set, 0);
  for (int done = 0; !done;) {
    pthread_mutex_lock(&mutex);
    done = flag;
    pthread_mutex_unlock(&mutex);
    if (!done) sched_yield();
  }
  return pthread_join(other, 0);
}
"""


def queue():
    return harness.program("corpus/queue_methods")


def fixed():
    return harness.program("corpus/queue_methods_fixed")


class BestFirst(harness.TestCase):
    def schedules_to_the_bug(self, *options):
        result, report = self.scratch.run_heddle("-j1", "--stops=0", *options, queue())
        result.require_status(BUG)
        self.assertTrue(report["bugs"][0]["replays"], options)
        return report["bugs"][0]["schedule"]

    def test_each_priority_finds_the_bug_and_proves_the_same(self):
        for priority in PRIORITIES:
            self.schedules_to_the_bug(f"--priority={priority}")
            result, report = self.scratch.run_heddle(f"--priority={priority}", "--max-preemptions=1", "--stops=0",
                                                     fixed())
            result.require_status(OK)
            self.assertEqual(report["preemption_bound_proved"], 1, priority)

    def test_named_functions_come_first(self):
        named = self.schedules_to_the_bug("--priority=method", "--method=put,Queue::take")
        self.assertLess(named, 10)
        self.assertLess(named, self.schedules_to_the_bug("--search=bounded"))

    def test_names_that_match_nothing(self):
        result, _ = self.scratch.run_heddle("--priority=method,var", "--method=putt", "--var=heap",
                                            "--max-schedules=50", fixed())
        result.require_says('--method: no thread could be preempted in a function "putt"; there are ', "Queue::put",
                            '--var: no operation of a thread is on a variable "heap"; there are queue')

    def test_wrong_lists(self):
        for option, said in (("--priority=best", 'there is no priority "best"; there are pb, dpor, mdpor'),
                             ("--priority=,pb", 'there is no priority ""'),
                             ("--priority=pb,ss,rand,new", "it lists more than 3 priorities"),
                             ("--guide=all", "--guide"),
                             ("--method=put", "--method is for --priority=method only"),
                             ("--var=queue", "--var is for --priority=var only"),
                             ("--priority=pb,method", "--priority=method needs names: give --method=NAMES, too"),
                             ("--priority=var", "--priority=var needs names: give --var=NAMES, too"),
                             ("--priority=./missing.so", "./missing.so: cannot open shared object file")):
            result = self.scratch.heddle("run", option, fixed())
            result.require_status(USAGE)
            result.require_says(said)
        result = self.scratch.heddle("run", "--search=random", "--priority=rand", fixed())
        result.require_status(USAGE)
        result.require_says("--priority is for --search=bounded only")

    def build(self, name, text):
        with open(self.scratch.path(f"{name}.c"), "w", encoding="utf-8") as file:
            file.write(text)
        include = os.path.join(OPTIONS.source, "include")
        subprocess.run(["gcc", "-w", "-shared", "-fPIC", f"-I{include}", "-o", f"{name}.so", f"{name}.c"],
                       cwd=self.scratch.folder, check=True)

    def test_a_priority_of_ones_own(self):
        shutil.copy(os.path.join(OPTIONS.build, "examples", "same_object_first.so"), self.scratch.folder)
        self.schedules_to_the_bug("--priority=./same_object_first.so")
        self.build("put_first", """#include <heddle/priority.h>
            #include <string.h>
            HEDDLE_PRIORITY(execution, step, task) {
              heddle_operation made, next;
              if (!execution->made(execution, step, &made) || !execution->next(execution, task, step, &next)) return 2;
              if (execution->made(execution, execution->steps, &made)) return 9;
              return (strcmp(made.function, "Queue::put") != 0) + (strcmp(next.function, "Queue::take") != 0);
            }""")
        self.assertLess(self.schedules_to_the_bug("--priority=./put_first.so"), 10)

    def test_a_priority_looks_at_call_stacks(self):
        """It aborts unless each operation of Queue::put has a stack that begins with its place."""
        self.build("stacks", """#include <heddle/priority.h>
            #include <stdlib.h>
            #include <string.h>
            HEDDLE_PRIORITY(execution, step, task) {
              heddle_operation made, next;
              if (!execution->made(execution, step, &made) || !execution->next(execution, task, step, &next)) return 2;
              if (strcmp(made.function, "Queue::put") != 0) return 1;
              if (!made.stack || made.depth < 2 || made.stack[0] != made.place) abort();
              return 0;
            }""")
        for context, crashes in ((1, True), (2, False)):
            result, report = self.scratch.run_heddle("--priority=./stacks.so", f"--context={context}", "-j1", queue())
            result.require_status(BUG)
            self.assertEqual("--priority=./stacks.so crashed (Aborted)" in result.text, crashes)
            self.assertTrue(report["bugs"][0]["replays"])

    def test_priorities_that_are_broken(self):
        head = "#include <heddle/priority.h>\nHEDDLE_PRIORITY(execution, step, task) "
        self.build("crashes", head + "{ return step < 9 ? 0 : *(volatile int*)8; }")
        self.build("nonsense", head + "{ return step % 2 ? INT64_MIN : INT64_MAX; }")
        self.build("old", "unsigned heddle_priority_abi = 7; long heddle_priority() { return 0; }")
        self.build("other", "int other;")
        result, report = self.scratch.run_heddle("--priority=./crashes.so", queue())
        result.require_status(BUG)
        result.require_says("--priority=./crashes.so crashed (Segmentation fault): from here on it decides nothing")
        self.assertTrue(report["bugs"][0]["replays"])
        self.schedules_to_the_bug("--priority=./nonsense.so")
        for name, said in (("old", "was built for version 7 of heddle/priority.h"),
                           ("other", "does not define heddle_priority")):
            result = self.scratch.heddle("run", f"--priority=./{name}.so", queue())
            result.require_status(USAGE)
            result.require_says(said)

    def test_the_guide_runs_few_schedules_and_proves_nothing(self):
        result, guided = self.scratch.run_heddle("-j1", "--guide=hapset", fixed())
        result.require_status(OK)
        result.require_says("Nothing was proved: ",
                            "left out: schedules that bring no new order of statements (--guide=hapset)")
        _, full = self.scratch.run_heddle("-j1", "--search=bounded", "--max-preemptions=2", fixed())
        self.assertLess(4 * guided["schedules"], full["schedules"])
        self.schedules_to_the_bug("--guide=hapset")

    def test_the_guide_of_dpor_ends_a_busy_wait(self):
        """004, section 3.3: a thread polls under a lock. Partial-order reduction alone has no end there."""
        with open(self.scratch.path("poll.c"), "w", encoding="utf-8") as file:
            file.write(POLLS)
        subprocess.run(["gcc", "-pthread", "-o", "poll", "poll.c"], cwd=self.scratch.folder, check=True)
        for guide, schedules, reason in (("none", 500, "schedules"), ("hapset", 25, "exhausted")):
            result, report = self.scratch.run_heddle("-j1", "--search=dpor", f"--guide={guide}", "--max-schedules=500",
                                                     "./poll")
            result.require_status(OK)
            self.assertEqual(report["stop_reason"], reason)
            self.assertLessEqual(report["schedules"], schedules)

    def test_the_guide_of_dpor_leaves_races_out(self):
        result, guided = self.scratch.run_heddle("-j1", "--search=dpor", "--guide=hapset", fixed())
        result.require_status(OK)
        result.require_says("Nothing was proved: ",
                            "left out: schedules that bring no new order of statements (--guide=hapset)")
        _, full = self.scratch.run_heddle("-j1", "--search=dpor", "--max-schedules=4000", fixed())
        self.assertLess(4 * guided["schedules"], full["schedules"])
        result, _ = self.scratch.run_heddle("-j1", "--search=dpor", "--guide=hapset", queue())
        result.require_status(BUG)
        result = self.scratch.heddle("run", "--search=random", "--guide=hapset", fixed())
        result.require_status(USAGE)
        result.require_says("--guide is for --search=bounded and dpor only")

    def test_the_guide_turns_the_order_of_locks_round(self):
        result, report = self.scratch.run_heddle("-j1", "--guide=hapset", "--learn=0", "--stops=0",
                                                 harness.program("corpus/abba_deadlock"))
        result.require_status(BUG)
        self.assertEqual(report["bugs"][0]["kind"], "deadlock")

    def test_orders_are_kept_in_a_file(self):
        run = ["run", "-q", "--orders=orders.txt", "--seed=3"]
        self.scratch.heddle(*run, "--max-schedules=2", fixed())
        first = self.orders()
        result = self.scratch.heddle("orders", "orders.txt")
        result.require_says("Queue::put: std::unique_lock<std::mutex> guard(mutex_);")
        self.scratch.heddle(*run, "--max-schedules=2000", fixed())
        later = self.orders()
        self.assertGreater(later[0], first[0])
        self.assertGreaterEqual(later[1], first[1])
        # A run with a bug adds nothing, and what is new there comes first.
        result = self.scratch.heddle("run", "--orders=orders.txt", "--priority=hapset", queue())
        result.require_status(BUG)
        result.require_says("--orders: nothing was added to orders.txt, since a bug was found")
        self.assertEqual(self.orders(), later)

    def test_the_context_tells_callers_apart(self):
        source = os.path.join(OPTIONS.source, "tests/e2e/callers.c")
        subprocess.run(["gcc", "-g", "-O1", "-pthread", "-o", "callers", source], cwd=self.scratch.folder, check=True)
        lines = {}
        for context in (1, 2):
            result = self.scratch.heddle("run", "-q", f"--context={context}", f"--orders=of{context}",
                                         "--search=random", "--max-schedules=40", "./callers")
            result.require_status(OK)
            lines[context] = self.scratch.heddle("orders", f"of{context}").text
        self.assertIn("1 of 1 orders were seen", lines[1])
        self.assertNotIn("add(1)", lines[1])
        self.assertIn("2 of 2 orders were seen", lines[2])
        with open(self.scratch.path("of2"), encoding="utf-8") as file:
            text = file.read()
        lock = "add: pthread_mutex_lock(&mutex);"
        self.assertIn(f"seen\t{lock} < fill: add(1);\t{lock} < drain: add(-1);\n", text)
        self.assertIn(f"seen\t{lock} < drain: add(-1);\t{lock} < fill: add(1);\n", text)
        # A file of another context is refused, and so is a context for nothing.
        for options, said in (("--orders=of2", "of2 was written with --context=2"),
                              ("--context=2", "--context is about orders of statements: give --orders=FILE")):
            result = self.scratch.heddle("run", options, "./callers")
            result.require_status(USAGE)
            result.require_says(said)

    def test_the_guide_with_a_context(self):
        """From two callers, each order is new by itself: the guide runs more, and finds what it finds without."""
        for search in ("bounded", "dpor"):
            schedules = []
            for context in (1, 3):
                result, report = self.scratch.run_heddle("-j1", f"--search={search}", "--guide=hapset",
                                                         f"--context={context}", fixed())
                result.require_status(OK)
                schedules.append(report["schedules"])
            self.assertGreaterEqual(schedules[1], schedules[0], search)
            result, report = self.scratch.run_heddle("-j1", f"--search={search}", "--guide=hapset", "--context=3",
                                                     queue())
            result.require_status(BUG)
            self.assertTrue(report["bugs"][0]["replays"])

    def orders(self):
        """Of the file: how many orders were seen, and how many there may be."""
        result = self.scratch.heddle("orders", "orders.txt")
        result.require_status(OK)
        words = result.text.split()
        return int(words[0]), int(words[2])

    def test_files_that_hold_no_orders(self):
        self.scratch.heddle("run", "-q", "--orders=orders.txt", "--max-schedules=50", fixed())
        with open(self.scratch.path("orders.txt"), encoding="utf-8") as file:
            text = file.read()
        for name, content, said in (("cut", text[:-3], "cut is cut off in line"),
                                    ("damaged", text + "what\n", "damaged is damaged in line"),
                                    ("context", text.replace("\n", "\ncontext\t1x\n", 1), "is damaged in line 2"),
                                    ("other", "int main() {}\n", "other is no file of heddle run --orders")):
            with open(self.scratch.path(name), "w", encoding="utf-8") as file:
                file.write(content)
            for command in (["orders", name], ["run", f"--orders={name}", fixed()]):
                result = self.scratch.heddle(*command)
                result.require_status(USAGE)
                result.require_says(said)
        result = self.scratch.heddle("run", "--orders=orders.txt", "--max-schedules=50",
                                     harness.program("corpus/philosophers_ordered"))
        result.require_says("orders.txt had no statement of this run in it: it may be of another program")
        result = self.scratch.heddle("orders", "nowhere.txt")
        result.require_status(USAGE)
        result.require_says("nowhere.txt has no orders: heddle run --orders=nowhere.txt writes them")


if __name__ == "__main__":
    harness.main()
