# Data races in a run, in a replay, and under the options. The programs are those of corpus/races.
import glob
import itertools
import os
import re
import subprocess

import harness
from harness import BUG, OK

# ThreadSanitizer does not know fences (gcc says so: -Wtsan) and reports what they order. It takes threads on their way
# out of pthread_barrier_wait() to use the barrier still, which POSIX lets one of them destroy. Nor does it see what
# libraries that are not instrumented know of the order (in one run of fifteen, what std::exception_ptr counts); nor
# what locks of streams, signals that are read from descriptors, and child processes order.
IT_IS_WRONG_ABOUT = {"ordered_by_atomics", "freed_when_done", "facet_shared", "freed_by_library",
                     "freed_when_nobody_reads", "ordered_by_exception_ptr", "ordered_by_stream_lock",
                     "ordered_by_signal_file", "ordered_by_child"}

# Each update reads and writes. Nothing lies between the two of a thread.
UPDATES = """#include <cassert>
#include <cstdlib>
#include <thread>
static int value = 1;
int main(int, char** arguments) {
  std::thread one([] { value = value * 3 + 1; value = value * 3 + 2; });
  std::thread other([] { value = value * 5 + 3; value = value * 5 + 4; });
  one.join();
  other.join();
  assert(value != atoi(arguments[1]));
}
"""
FACTORS = (((3, 1), (3, 2)), ((5, 3), (5, 4)))


def outcomes():
    """What UPDATES can come to, by trying all orders of the reads and writes."""
    found = set()
    for order in set(itertools.permutations([0] * 4 + [1] * 4)):
        value, read, done = 1, [0, 0], [0, 0]
        for thread in order:
            factor, addend = FACTORS[thread][done[thread] // 2]
            if done[thread] % 2 == 0:
                read[thread] = value
            else:
                value = read[thread] * factor + addend
            done[thread] += 1
        found.add(value)
    return found

# A library that is not instrumented puts off what is to be destroyed until nobody is between enter() and leave(). The
# calls come one behind the other.
RECLAIMS = """static int users, count;
static void* waiting[8];
static void (*how)(void*);
void enter(void) { __atomic_add_fetch(&users, 1, __ATOMIC_SEQ_CST); }
void leave(void) {
  if (__atomic_sub_fetch(&users, 1, __ATOMIC_SEQ_CST) == 0)
    while (count > 0) how(waiting[--count]);
}
void retire(void* memory, void (*destroy)(void*)) {
  enter();
  how = destroy;
  waiting[count++] = memory;
  leave();
}
"""
# A library with a table that a constructor fills, and a program of which two threads load it. BUG: one writes to it.
FILLS = """int table[3], uses;
int sched_yield(void);
__attribute__((constructor)) static void fill(void) {
  for (int i = 0; i < 3; ++i) {
    table[i] = i + 1;
#ifdef YIELDS
    sched_yield();
#endif
  }
}
int* get(void) { return table; }
void use(void) { ++uses; }
"""
LOADS = """#include <assert.h>
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#include <string.h>
static void* load(void) {
  char path[8192];  // so the place of the call on the stack lies far below what follows
  return dlopen(strcpy(path, LIBRARY), RTLD_NOW);
}
static void* use(void* unused) {
  void* library = load();
  int* table = ((int* (*)(void))dlsym(library, "get"))();
#ifdef USED
  ((void (*)(void))dlsym(library, "use"))();
#endif
  sched_yield();
#ifdef BUG
  if (unused != NULL) table[0] = 2;
#endif
  assert(table[2] == 3 && table[0] > 0);
  return NULL;
}
int main(void) {
  pthread_t one, other;
  pthread_create(&one, NULL, use, &one);
  pthread_create(&other, NULL, use, NULL);
  pthread_join(one, NULL);
  pthread_join(other, NULL);
}
"""
# BUG: not put off.
RETIRES = """#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
void enter(void);
void leave(void);
void retire(void* memory, void (*destroy)(void*));
static int* _Atomic shared;
static void destroy(void* memory) { free(memory); }
static void* use(void* unused) {
  enter();
  const int* const number = shared;
  if (number != NULL) assert(*number == 42);
  leave();
  return unused;
}
int main(void) {
  int* const number = malloc(sizeof *number);
  *number = 42;
  shared = number;
  pthread_t thread;
  pthread_create(&thread, NULL, use, NULL);
  shared = NULL;
#ifdef BUG
  destroy(number);
#else
  retire(number, destroy);
#endif
  pthread_join(thread, NULL);
}
"""


class Races(harness.TestCase):
    def program(self, name):
        return harness.program("corpus/" + name)

    def kinds(self, report):
        return sorted({bug["kind"] for bug in report["bugs"]})

    def test_what_a_race_leads_to_is_found(self):
        """The places that race become scheduling points: the assertion fails only between a read and its write."""
        result, report = self.scratch.run_heddle(self.program("race_lost_update"))
        result.require_status(BUG)
        result.require(self.kinds(report) == ["assertion", "data race"], f"found {self.kinds(report)}")
        for bug in report["bugs"]:
            result.require(bug["replays"], f"bug {bug['id']} did not come again in a fresh process")
            again = self.scratch.heddle("replay", bug["trace"])
            again.require_status(BUG)
            again.require_says("Reproduced")

    def test_every_outcome_of_racing_updates(self):
        """All accesses to what races are scheduling points. Reads of what is written next, too, which clang leaves out
        by default, and accesses behind others of the same thread, which the detector would pass over."""
        source = self.scratch.path("updates.cpp")
        with open(source, "w", encoding="utf-8") as file:
            file.write(UPDATES)
        self.assertEqual(len(outcomes()), 14)
        for compiler, search in (("g++", "bounded"), ("clang++", "bounded"), ("clang++", "dpor")):
            harness.run([harness.program("heddle-c++"), "-g", "-O0", "-pthread", source, "-o", "updates"],
                        self.scratch.folder, env=dict(os.environ, HEDDLE_CXX=compiler)).require_status(OK)
            for value in sorted(outcomes()):
                result, _ = self.scratch.run_heddle("--races=report", f"--search={search}",
                                                    self.scratch.path("updates"), str(value))
                result.require_status(BUG)

    def test_the_same_under_the_thread_carrier(self):
        result, report = self.scratch.run_heddle("--carrier=thread", self.program("race_lost_update"))
        result.require_status(BUG)
        result.require(self.kinds(report) == ["assertion", "data race"], f"found {self.kinds(report)}")

    def test_the_page_shows_both_accesses_and_locks(self):
        result, report = self.scratch.run_heddle(self.program("race_in_one_order"))
        result.require_status(BUG)
        page = self.scratch.heddle("show", "--full", report["bugs"][0]["trace"])
        page.require_says("value (4 bytes)", "holding no lock", "race_in_one_order.c:14", "race_in_one_order.c:24")
        chart = page.text[page.text.index("How it came to that"):]
        page.require(chart.index("✗ reads value: the race") > chart.index("unlocks mutex"), "not at its step")
        page.require("✗ writes value: the race" in chart, "the other access is not in the chart")

    def test_the_page_tells_where_memory_comes_from(self):
        for name, texts in (("race_block_shared", ("4 bytes of a block of 16 bytes", "was allocated by",
                                                   "race_block_shared.c:13", "8 bytes behind its begin", "make (")),
                            ("race_on_stack", ("4 bytes on the stack of main",))):
            result, report = self.scratch.run_heddle(self.program(name))
            result.require_status(BUG)
            page = self.scratch.heddle("show", "--full", "--width=500", report["bugs"][0]["trace"])
            page.require_says(*texts)
            page.require("Not built with heddle-cc" not in page.text, "a library is said to be unseen")
        page = self.scratch.heddle("show", "--full", "--stacks", report["bugs"][0]["trace"])
        page.require_says("main: goes on to end the process\n      main (race_on_stack.cpp:")

    def test_atomics_side_by_side_have_their_own_names(self):
        """The order of steps is kept for words of eight bytes; names are of what was accessed in them."""
        for arguments in (["--search=bounded"], ["--search=dpor"], ["--carrier=thread"]):
            result, report = self.scratch.run_heddle(*arguments, self.program("neighbours"))
            result.require_status(BUG)
            page = self.scratch.heddle("show", "--full", "--width=500", report["bugs"][0]["trace"])
            page.require_says("loads queue.tail: 0", "stores to queue.second: 7", "stores to queue.head: 5")

    def test_one_race_of_one_line_is_one_bug(self):
        """`++counter` reads and writes: three pairs of places race."""
        result, report = self.scratch.run_heddle(self.program("race_counter"))
        result.require_status(BUG)
        result.require(len(report["bugs"]) == 1, f"{len(report['bugs'])} bugs")
        result, _ = self.scratch.run_heddle("--races=report", self.program("race_counter"))
        result.require(result.text.count("data race:") == 1, "told of more than once")

    def test_what_is_freed_in_use(self):
        """The page names the block, and both what frees it and what uses it."""
        result, report = self.scratch.run_heddle(self.program("race_freed"))
        result.require_status(BUG)
        result.require(self.kinds(report) == ["assertion", "data race"], f"found {self.kinds(report)}")
        result.require_says("frees a block of 4 bytes at race_freed.c:37",
                            "reads 4 bytes of it at race_freed.c:29")
        page = self.scratch.heddle("show", "--full", "--width=300", report["bugs"][0]["trace"])
        page.require_says("One thread frees memory, and another one uses entry.value (4 bytes)",
                          "The block of 4 bytes was allocated by main", "✗ frees entry.value: the race")
        page = self.scratch.heddle("show", "--full", "--width=300", report["bugs"][1]["trace"])
        page.require_says("frees entry.value", "reads entry.value: 0")
        for bug in report["bugs"]:
            self.scratch.heddle("replay", bug["trace"]).require_says("Reproduced")

    def test_every_search_finds_what_is_freed_in_use(self):
        for options in (["--search=dpor"], ["--search=bounded", "--reduction=none"], ["--carrier=thread"]):
            for name, status in (("race_freed", BUG), ("race_freed_counted", OK), ("race_resized", BUG),
                                 ("race_resized_locked", OK)):
                result, report = self.scratch.run_heddle("--keep-going", *options, self.program(name))
                result.require_status(status)
                if status == BUG:
                    result.require(self.kinds(report) == ["assertion", "data race"], f"found {self.kinds(report)}")

    def test_what_a_library_puts_off_to_free_is_ordered(self):
        """By what the library knows and nobody sees. What the program frees by itself is told of all the same."""
        library, program = self.scratch.path("reclaims.c"), self.scratch.path("retires.c")
        for path, text in ((library, RECLAIMS), (program, RETIRES)):
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        harness.run(["gcc", "-g", "-O1", "-shared", "-fPIC", library, "-o", "libreclaims.so"],
                    self.scratch.folder).require_status(OK)
        for options, status in (([], OK), (["-DBUG"], BUG)):
            harness.run([harness.program("heddle-cc"), "-g", "-O1", "-pthread", *options, program, "-o", "retires",
                         "-L.", "-lreclaims", "-Wl,-rpath," + self.scratch.folder],
                        self.scratch.folder).require_status(OK)
            result, report = self.scratch.run_heddle(self.scratch.path("retires"))
            result.require_status(status)
            if status == BUG:
                result.require_says("frees a block of 4 bytes at retires.c:9 while use reads 4 bytes of it at "
                                    "retires.c:13")

    def test_what_a_constructor_writes_is_ordered_by_loading(self):
        """Though the loader's lock isn't seen while nobody waits for it. What follows is told of all the same, also
        what no step separates from dlopen()."""
        library, program = self.scratch.path("fills.c"), self.scratch.path("loads.c")
        for path, text in ((library, FILLS), (program, LOADS)):
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        compiler = [harness.program("heddle-cc"), "-g", "-O1"]
        where = f'-DLIBRARY="{self.scratch.path("fills.so")}"'
        for options, status in (([], OK), (["-DBUG"], BUG), (["-DUSED"], BUG), (["-DYIELDS"], OK)):
            limits = ["--max-preemptions=2"] if "-DYIELDS" in options else []
            harness.run([*compiler, *options, "-shared", "-fPIC", library, "-o", "fills.so"],
                        self.scratch.folder).require_status(OK)
            harness.run([*compiler, "-pthread", where, *options, program, "-o", "loads"],
                        self.scratch.folder).require_status(OK)
            result, report = self.scratch.run_heddle(*limits, self.scratch.path("loads"))
            result.require_status(status)
            if status == BUG:
                self.assertEqual(report["bugs"][0]["kind"], "data race")
            else:
                result.require(report["complete"] or (limits and report["preemption_bound_proved"] == 2),
                               "something is left to explore")

    def test_what_a_library_does_in_one_line_is_one_bug(self):
        """push_back() reads and writes the vector in a dozen places of its header: they race with each other."""
        source = self.scratch.path("vector.cpp")
        with open(source, "w", encoding="utf-8") as file:
            file.write("#include <thread>\n#include <vector>\nstd::vector<int> all;\nint main() {\n  all.reserve(9);\n"
                       "  std::thread thread([] { all.push_back(1); });\n  all.push_back(2);\n  thread.join();\n}\n")
        for option in ("-O0", "-O2"):
            harness.run([harness.program("heddle-c++"), "-g", option, "-pthread", source, "-o", "vector"],
                        self.scratch.folder).require_status(OK)
            result, report = self.scratch.run_heddle("--keep-going", self.scratch.path("vector"))
            result.require_status(BUG)
            told = [bug["message"] for bug in report["bugs"]]
            result.require(len(told) == 2 and "s all at" in told[0] and "of a block of 36 bytes" in told[1],
                           "the vector and what is in it")

    def test_what_a_race_has_withdrawn_is_proved_again(self):
        """It is first seen at bound 1: by then the schedules without a preemption had been proved, for fewer points."""
        log = self.scratch.path("log")
        result, report = self.scratch.run_heddle("--races=report", "-j1", "--execution-log=" + log,
                                                 self.program("race_behind_preemption"))
        result.require_status(OK)
        result.require_says("the search begins anew", "Proved: every schedule was run")
        with open(log, encoding="utf-8") as file:
            numbers = [int(line.split()[0]) for line in file]
        anew = numbers.index(1, 1)
        result.require(anew > 2, "the race was seen before a preemption was made")
        result.require(report["schedules"] == len(numbers) - anew, "those from before count")
        result.require(numbers[anew:] == list(range(1, report["schedules"] + 1)), "not all were run again")
        result.require(report["complete"], "what was withdrawn was not proved again")

    def test_a_loop_that_waits_and_writes_stalls_nothing(self):
        program = harness.program("corpus/race_waits_and_counts")
        for carrier in ("fiber", "thread"):
            result, report = self.scratch.run_heddle("--max-preemptions=1", "--keep-going", f"--carrier={carrier}",
                                                     program)
            result.require_status(BUG)
            result.require("without a verdict" not in result.text, "a schedule was given up")
            result.require(all(bug["replays"] for bug in report["bugs"]), "not reproduced")
        page = self.scratch.heddle("show", "--full", "--width=300", report["bugs"][0]["trace"])
        page.require_says("yields: it has run for very long without a step")

    def test_reported_only(self):
        result, report = self.scratch.run_heddle("--races=report", self.program("race_counter"))
        result.require_status(OK)
        result.require(not report["bugs"], "a race was a bug")
        result.require_says("data race:", "race_counter.c:", "access counter")

    def test_ignored(self):
        result, report = self.scratch.run_heddle("--races=ignore", self.program("race_counter"))
        result.require_status(OK)
        result.require("data race:" not in result.text, "a race was told of")

    def test_accesses_are_counted(self):
        """A monitor beside the race detector, and without it; the schedules stay the same."""
        program = harness.program("corpus/race_counter_locked")
        _, expected = self.scratch.run_heddle(program)
        for races in ("--races=bug", "--races=ignore"):
            result, report = self.scratch.run_heddle("--monitor=accesses", races, "--stops=0", program)
            result.require_status(OK)
            for thread, reads, writes in ((0, 4, 2), (1, 2, 2), (2, 2, 2)):
                result.require_says(f"thread {thread} makes fewer than {reads} reads and fewer than {writes} writes "
                                    "in a schedule")
            result.require(report["schedules"] == expected["schedules"], "a monitor changes no schedule")
        result, _ = self.scratch.run_heddle("--monitor=accesses", harness.program("corpus/bank_account"))
        result.require_says("accesses are not counted: nothing of the program was compiled by heddle-cc")
        result, _ = self.scratch.run_heddle("--monitor=cycles", program)
        result.require_says('"cycles" is none of: accesses')

    def test_suppressed(self):
        for name, status in (("counter", OK), ("race_counter.c", OK), ("run_second", OK), ("runtime", BUG)):
            path = self.scratch.path("suppressions")
            with open(path, "w", encoding="utf-8") as file:
                file.write("# ours\nrace:" + name + "\n")
            result, _ = self.scratch.run_heddle("--suppressions=" + path, self.program("race_counter"))
            result.require_status(status)
            if status == OK:
                result.require_says(f"1 race suppressed by race:{name}")
            else:
                result.require_says("--suppressions: race:runtime matched no race")

    def test_races_that_do_no_harm(self):
        """They are not reported, their places are no scheduling points, and the verdict rests on that."""
        _, all_points = self.scratch.run_heddle("--races=report", "--search=bounded", self.program("race_counter"))
        for name in ("counter", "count*", "other,counter"):
            result, report = self.scratch.run_heddle("--benign=" + name, "--search=bounded",
                                                     self.program("race_counter"))
            result.require_status(OK)
            self.assertEqual(report["bugs"], [])
            pattern = name.split(",")[-1]
            result.require_says(f"Assumes: data races on {pattern} do no harm, whatever order their accesses come in "
                                "(--benign)")
            self.assertLess(report["schedules"], all_points["schedules"])
            self.assertEqual('--benign: no data race was seen on a variable "other"' in result.text,
                             name.startswith("other"))
        result, report = self.scratch.run_heddle("--benign=count", self.program("race_counter"))
        result.require_status(BUG)
        result.require_says('--benign: no data race was seen on a variable "count"; of those with races, there are '
                            "counter")

    def test_what_a_suppressed_race_leads_to_is_found(self):
        """It is not told of, and the places are scheduling points all the same: "every schedule was run" holds."""
        path = self.scratch.path("suppressions")
        with open(path, "w", encoding="utf-8") as file:
            file.write("race:race_lost_update.c\n")
        result, report = self.scratch.run_heddle("--suppressions=" + path, self.program("race_lost_update"))
        result.require_status(BUG)
        result.require(self.kinds(report) == ["assertion"], f"found {self.kinds(report)}")
        result.require("data race:" not in result.text, "a suppressed race was told of")

    def test_a_program_without_races_explores_no_more(self):
        """Plain accesses that are always ordered add no points, whatever it is that orders them."""
        for name in ("race_counter_locked", "race_readers_fixed", "race_in_one_order_fixed", "race_on_stack_joined",
                     "ordered_by_barrier", "ordered_by_condition", "ordered_by_once", "ordered_by_semaphore",
                     "ordered_by_atomics", "peterson", "treiber_counted", "michael_scott", "double_checked"):
            counts = set()
            for races in ("bug", "ignore"):
                result, report = self.scratch.run_heddle("-j1", "--races=" + races, "--max-preemptions=2",
                                                         "--stops=0", self.program(name))
                result.require_status(OK)
                counts.add((report["schedules"], report["distinct_executions"], report["steps_max"]))
            result.require(len(counts) == 1, f"{name}: schedules, of them different, most steps: {counts}")

    def test_every_isolation_finds_the_same(self):
        logs = []
        for isolation in ("snapshot", "fork", "exec"):
            log = self.scratch.path(isolation)
            result, _ = self.scratch.run_heddle("--isolation=" + isolation, "--execution-log=" + log, "-j1",
                                                "--max-schedules=60", self.program("race_in_one_order"))
            result.require_status(BUG)
            logs.append(open(log, encoding="utf-8").read())
        result.require(logs[0] == logs[1] == logs[2], "the logs differ")

    def test_thread_sanitizer_finds_no_more(self):
        """Where it reports a race of a corpus program in a few native runs, the program is one that Heddle reports."""
        found = 0
        sources = sorted(glob.glob(os.path.join(harness.OPTIONS.source, "corpus", "races", "*.c*")))
        # The programs hardly change, and compiling them takes minutes: a third of them for each commit.
        if drawn := os.environ.get("HEDDLE_DRAWN_SEED"):
            sources = sources[int(drawn) % 3::3]
        for source in sources:
            name = os.path.basename(source).split(".")[0]
            program = self.scratch.path(name)
            compiler = ["gcc", "-std=gnu17"] if source.endswith(".c") else ["g++", "-std=c++20"]
            corpus = os.path.join(harness.OPTIONS.source, "corpus")
            common = [*compiler, "-O1", "-g", "-w", "-pthread", "-I" + corpus]
            with open(source, encoding="utf-8") as file:
                text = file.read()
            libraries = []
            if library := re.search("^// library: (.*)$", text, re.MULTILINE):
                libraries = [self.scratch.path(f"lib{name}.so")]
                subprocess.run([*common, "-shared", "-fPIC", os.path.join(corpus, library.group(1)), "-o",
                                *libraries], check=True)
            subprocess.run([*common, "-fsanitize=thread", source, *libraries, "-o", program], check=True)
            runs = [subprocess.run(["setarch", "-R", program], capture_output=True, text=True, timeout=60, check=False)
                    for _ in range(3)]
            if not any("ThreadSanitizer: data race" in run.stderr for run in runs) or name in IT_IS_WRONG_ABOUT:
                continue
            found += 1
            self.assertRegex(text, "// expect: bug data race|// says: data race",
                             f"only ThreadSanitizer reports {name}")
        self.assertGreater(found, 1, "ThreadSanitizer found nothing: does it work here?")


if __name__ == "__main__":
    harness.main()
