# --memory=rc11 and tso: each memory order that matters is found to be too weak, and with all of them as they have to be
# nothing is found (memory_orders.cpp). What can't be seen is said.
import os
import re

import harness
from harness import BUG, NO_VERDICT, OK, OPTIONS, USAGE, drawn

# By structure, the places whose order matters. Those in SHOWS_BY_RACE protect plain data: without them there is a data
# race, which shows in sequentially consistent memory, too.
NEEDS_OLD_VALUES = {
    "message_passing": [1, 2],
    "sequential_data": [1, 2],
    "store_buffering": [1, 2],
    "store_buffering_with_fences": [1, 2],
    "peterson": [1, 3],
    "seqlock": [1, 2, 3, 4],
    "chase_lev": [1, 2, 4],
    "hazard_pointer": [1, 2],
    "clh_lock": [1, 2, 3],
    "grace_period": [1, 5],
}
SHOWS_BY_RACE = {
    "double_checked": [1, 2],
    "ring": [1, 2, 3, 4],
    "ticket_lock": [1, 2],
    "mcs_lock": [2, 3, 5],
    "readers_and_a_writer": [1, 2, 3, 4],
    "treiber": [1, 2],
    "reference_count": [1, 2],
    "michael_scott": [1, 2, 3, 4, 5, 6, 7],
    "grace_period": [2, 3, 4, 6],
}
STRUCTURES = sorted({*NEEDS_OLD_VALUES, *SHOWS_BY_RACE})
# What is stored in a way that Heddle doesn't see: by inline assembly, by another process. With -DSEEN it is an atomic
# operation of the language.
ASSEMBLY = """
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int data, flag;
static void put(atomic_int* at) {
#ifdef SEEN
  atomic_store_explicit(at, 1, memory_order_relaxed);
#else
  __asm__ volatile("movl $1, %0" : "=m"(*at) : : "memory");
#endif
}
static void* run(void* unused) {
  put(&data);
  put(&flag);
  return unused;
}
int main(void) {
  pthread_t thread;
  atomic_store_explicit(&data, 0, memory_order_relaxed);
  pthread_create(&thread, 0, run, 0);
  if (atomic_load_explicit(&flag, memory_order_relaxed) == 1)
    assert(atomic_load_explicit(&data, memory_order_relaxed) == 1);
  pthread_join(thread, 0);
  return 0;
}
"""
SHARED = """
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
static void* run(void* shared) {
  assert(atomic_load_explicit((atomic_int*)shared, memory_order_relaxed) == 1);
  return 0;
}
int main(void) {
  atomic_int* shared = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  pthread_t thread;
  atomic_store(shared, 7);
  const pid_t child = fork();
  if (child == 0) {
    atomic_store_explicit(shared, 1, memory_order_relaxed);
    _exit(0);
  }
  int status;
  waitpid(child, &status, 0);
  pthread_create(&thread, 0, run, shared);
  pthread_join(thread, 0);
  return 0;
}
"""


class MemoryOrders(harness.TestCase):
    def build(self):
        program = self.scratch.path("memory_orders")
        source = os.path.join(OPTIONS.source, "tests", "e2e", "memory_orders.cpp")
        compiler = [harness.program("heddle-c++"), "-std=c++20", "-O1", "-g", "-pthread"]
        harness.run([*compiler, source, "-o", program], self.scratch.folder).require_status(0)
        return program

    def run_memory(self, memory, *options):
        return self.scratch.run_heddle("-j1", f"--memory={memory}", "--time=20s", "--minimize=no", *options)

    def test_structures(self):
        program = self.build()
        self.orders_that_matter(program)
        self.orders_as_they_have_to_be(program)
        self.sequentially_consistent_memory_hides_them(program)
        self.on_x86(program)
        self.by_partial_order_reduction(program)

    def test_words(self):
        program = self.build()
        self.page_and_repair(program)
        self.replay(program)
        self.says_what_was_allowed(program)
        self.says_what_is_not_sequentially_consistent(program)
        self.false_alarms(program)
        self.waits_of_the_standard_library(program)
        self.says_what_is_missing(program)
        self.repairs_the_order_of_a_failure(program)

    def orders_that_matter(self, program):
        for name in STRUCTURES:
            places = [*NEEDS_OLD_VALUES.get(name, []), *SHOWS_BY_RACE.get(name, [])]
            for place in [place for place in places if drawn(f"{name} {place}", 4)]:
                with self.subTest(name=name, place=place):
                    self.run_memory("rc11", program, name, str(place))[0].require_status(BUG)

    def orders_as_they_have_to_be(self, program):
        bound = ["--search=bounded", "--max-preemptions=1", "--max-stale=1"]
        for name in [name for name in STRUCTURES if drawn(name, 4)]:
            with self.subTest(name=name):
                self.run_memory("rc11", *bound, program, name, "0")[0].require_status(OK)

    # One of each set of schedules that differ only in the order of independent steps shows the same.
    def by_partial_order_reduction(self, program):
        for name, places in NEEDS_OLD_VALUES.items():
            for place in [place for place in [0, *places] if drawn(f"dpor {name} {place}", 4)]:
                with self.subTest(name=name, place=place):
                    result, report = self.run_memory("rc11", "--search=dpor", program, name, str(place))
                    result.require_status(BUG if place else OK)
                    if place == 0:
                        self.assertTrue(report["complete"], result.text)

    def sequentially_consistent_memory_hides_them(self, program):
        for name, places in NEEDS_OLD_VALUES.items():
            with self.subTest(name=name):
                options = ["--search=bounded", "--max-preemptions=1", program, name, str(places[0])]
                self.run_memory("sc", *options)[0].require_status(OK)

    def on_x86(self, program):
        for name, status in [("store_buffering_with_fences", BUG), ("message_passing", OK)]:
            with self.subTest(name=name):
                self.run_memory("tso", program, name, "1")[0].require_status(status)

    def page_and_repair(self, program):
        result, report = self.run_memory("rc11", program, "store_buffering", "1")
        bug = report["bugs"][0]
        self.assertEqual(bug["pattern"], "memory order", result.text)
        self.assertRegex(bug["pattern_text"], "reads an old value of .*::(x|y) at ")
        self.assertIn("both are seq_cst, but that alone doesn't put the store first", bug["pattern_text"])
        self.assertRegex(bug["repair"], r"make the store of .*::x at memory_orders.cpp:\d+ seq_cst\.")
        self.scratch.heddle("show", "--width=500", bug["trace"]).require_says(
            bug["pattern_text"], f"Repair: {bug['repair']}")
        with open(self.scratch.path(bug["trace"].replace(".trace", ".html")), encoding="utf-8") as page:
            self.assertIn("Repair: make the store of ", page.read())
        self.scratch.heddle("replay", bug["trace"]).require_status(BUG)

    def replay(self, program):
        _, report = self.run_memory("rc11", program, "message_passing", "1")
        self.assertIn("the store is relaxed, the load is relaxed", report["bugs"][0]["pattern_text"])
        for carrier in ("fiber", "thread"):
            result = self.scratch.heddle("replay", f"--carrier={carrier}", report["bugs"][0]["trace"])
            result.require_status(BUG)
            result.require_says("Reproduced")

    def says_what_was_allowed(self, program):
        result, _ = self.run_memory("rc11", "--max-stale=1", program, "message_passing", "0")
        result.require_says("Includes: atomic accesses that miss a newer store, at most 1 in each schedule")
        self.assertFalse(re.search("sequentially consistent", result.text))

    def says_what_is_not_sequentially_consistent(self, program):
        place = r"at memory_orders.cpp:\d+"
        words = f"not sequentially consistent: the load {place} misses the store {place}"
        for name, is_said in [("nothing_fails", True), ("message_passing", False)]:
            result, _ = self.run_memory("rc11", "--report-non-sc", program, name, "0")
            result.require_status(OK)
            self.assertEqual(bool(re.search(words, result.text)), is_said, result.text)

    def false_alarms(self, program):
        for name in ("fresh_block", "two_sizes", "waits", "failing_exchange"):
            for search in ("bounded", "dpor"):
                with self.subTest(name=name, search=search):
                    result, report = self.run_memory("rc11", f"--search={search}", program, name, "0")
                    result.require_status(OK)
                    self.assertTrue(report["complete"], result.text)

    def waits_of_the_standard_library(self, program):
        self.run_memory("rc11", "--max-preemptions=1", program, "latch", "0")[0].require_status(OK)

    def says_what_is_missing(self, program):
        result, _ = self.run_memory("rc11", program, "many_stores", "0")
        result.require_says("Not checked: old values for which there was no room, in some schedules")
        result, _ = self.run_memory("rc11", program, "two_sizes", "0")
        result.require_says("atomic operations of different sizes on the same bytes read the newest value only")

    def repairs_the_order_of_a_failure(self, program):
        result, report = self.run_memory("rc11", program, "failing_exchange", "1")
        result.require_status(BUG)
        self.assertIn("make the failure order of the compare-exchange of", report["bugs"][0]["repair"])

    def test_weaker_orders(self):
        program = self.build()
        relax = ["--relax", program]
        result, _ = self.run_memory("rc11", *relax, "too_strong", "0")
        result.require_status(OK)
        line = re.search("(?m)^Weaker: make (.*). Then every schedule with at most 2 preemptions still passes",
                         result.text)
        changes = [re.fullmatch(r"the (.*) of .*::(.*) at memory_orders.cpp:\d+ (.*)", change).groups()
                   for change in line.group(1).split(", ")]
        self.assertCountEqual(changes, [
            ("store", "data", "relaxed"), ("store", "flag", "release"), ("update", "count", "relaxed"),
            ("load", "flag", "acquire"), ("load", "data", "relaxed")])
        for name in ("message_passing", "store_buffering"):
            with self.subTest(name=name):
                self.run_memory("rc11", *relax, name, "0")[0].require_says(
                    "Weaker: none of the memory orders can be weaker: each one that was tried makes a schedule with "
                    "at most 2 preemptions fail.")
        self.assertNotIn("Weaker:", self.run_memory("rc11", *relax, "message_passing", "1")[0].text)
        self.run_memory("tso", *relax, "too_strong", "0")[0].require_says("Then, on x86, every schedule")
        self.scratch.heddle("run", *relax, "too_strong", "0").require_status(USAGE)
        for option in ("--races=report", "--benign=data"):
            self.scratch.heddle("run", "--memory=rc11", option, *relax, "too_strong", "0").require_status(USAGE)

    def test_stores_that_are_not_seen(self):
        """A load finds what inline assembly or another process has left, and the run says that it misses none of it."""
        words = "Not checked: loads that miss a store of inline assembly, or of another process (MAP_SHARED)"
        for name, text, options, status in [("seen", ASSEMBLY, ["-DSEEN"], BUG), ("assembly", ASSEMBLY, [], OK),
                                            ("shared", SHARED, [], OK)]:
            with self.subTest(name=name):
                with open(self.scratch.path(f"{name}.c"), "w", encoding="utf-8") as file:
                    file.write(text)
                harness.run([harness.program("heddle-cc"), "-O1", "-g", "-pthread", *options, f"{name}.c", "-o", name],
                            self.scratch.folder).require_status(OK)
                result, _ = self.run_memory("rc11", self.scratch.path(name))
                result.require_status(status)
                result.require_says(words)
        self.assertNotIn(words, self.run_memory("sc", self.scratch.path("assembly"))[0].text)

    def test_nothing_to_see(self):
        result, _ = self.run_memory("rc11", harness.program("corpus/bank_account_fixed"))
        result.require_status(NO_VERDICT)
        result.require_says("build the program with heddle-cc")

    def test_wrong_use(self):
        for options, words in [
            (["--memory=rc12"], "is none of: sc, tso, rc11"),
            (["--report-non-sc"], "--report-non-sc needs --memory"),
            (["--memory=rc11", "--races=ignore"], "leave --races=ignore out"),
            (["--memory=rc11", "--search=dpor", "--max-stale=1"], "reads every old value"),
            (["--memory=tso", "--search=dpor"], "does not know which steps are independent"),
        ]:
            result = self.scratch.heddle("run", *options, "true")
            result.require_status(USAGE)
            result.require_says(words)


if __name__ == "__main__":
    harness.main()
