# Replays of a program that was rebuilt: is it the same bug, another one, or none?
import itertools
import os
import subprocess
import time

import harness
from harness import BUG, NO_VERDICT, OK, USAGE

# Fails where memory is freed before it is used; whoever frees it is called by a pointer, and jumps to free().
FAILS_BY_A_FREE = """#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
static int* _Atomic shared;
__attribute__((noinline)) static void give_back(void* memory) { free(memory); }
static void (*volatile destroy)(void*) = give_back;
static void* drop(void* unused) {
  destroy(shared);
  return unused;
}
int main(void) {
  int* number = malloc(sizeof *number);
  *number = 42;
  shared = number;
  pthread_t thread;
  pthread_create(&thread, NULL, drop, NULL);
  assert(*number == 42);
  pthread_join(thread, NULL);
  return 0;
}
"""
# The same from a line that reads something first, which does not race.
READS_AND_FREES = (FAILS_BY_A_FREE.replace("static int* _Atomic shared;", "static struct { int* number; } held;")
                   .replace("shared = number", "held.number = number").replace("destroy(shared)", "free(held.number)"))
UNRELATED = "int three_times(int a) { return 3 * a; }\n"
# A lost update. FIX: without it, by the same steps; OTHER: something else is wrong, in another function.
LOSES_AN_UPDATE = """#include <assert.h>
#include <pthread.h>
#include <stddef.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int count, other;
static void* add(void* unused) {
  pthread_mutex_lock(&mutex);
  int seen = count;
  pthread_mutex_unlock(&mutex);
  pthread_mutex_lock(&mutex);
#ifdef FIX
  seen = count;
#endif
  count = seen + 1;
  pthread_mutex_unlock(&mutex);
  return unused;
}
static void check_other(void) {
#ifdef OTHER
  assert(other == 1);
#endif
}
int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, add, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
#ifdef EARLIER
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
#endif
  check_other();
  assert(count == 2);
  return 0;
}
"""
RACES = """#include <pthread.h>
#include <stddef.h>
static int shared;
static void* write_it(void* unused) {
  shared = 1;
  return unused;
}
int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, write_it, NULL);
  const int seen = shared;
  pthread_join(thread, NULL);
  return seen > 1;
}
"""
# Fails where the other thread's write comes between two racing accesses, which are scheduling points then.
FAILS_BY_A_RACE = """#include <assert.h>
#include <pthread.h>
#include <stddef.h>
static int shared;
static void* write_it(void* unused) {
  shared = 1;
  return unused;
}
int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, write_it, NULL);
  const int seen = shared;
  __asm__ volatile("" ::: "memory");  // the compiler is to read it again
  assert(seen == shared);
  pthread_join(thread, NULL);
  return 0;
}
"""


# Waits for two things, of which nobody tells it. FIX: for one of them.
WAITS = """#include <pthread.h>
#include <stddef.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int started, stopped;
static void wait_started(void) {
  while (!started) pthread_cond_wait(&changed, &mutex);
}
static void wait_stopped(void) {
  while (!stopped) pthread_cond_wait(&changed, &mutex);
}
static void* run(void* unused) {
  pthread_mutex_lock(&mutex);
  wait_started();
  wait_stopped();
  pthread_mutex_unlock(&mutex);
  return unused;
}
int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, run, NULL);
#ifdef FIX
  pthread_mutex_lock(&mutex);
  started = 1;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&mutex);
#endif
  return pthread_join(thread, NULL);
}
"""
# All accesses in one line, of which only those to `shared` race.
IN_ONE_LINE = """#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#define REREAD __asm__ volatile("" ::: "memory")
static int shared, first, second;
static void* write_it(void* unused) {
  shared = 1;
  return unused;
}
int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, write_it, NULL);
  first = 1; int seen = first + shared; REREAD; second = first; int same = second + shared; REREAD;
  assert(seen == same);
  pthread_join(thread, NULL);
  return 0;
}
"""


class Rebuild(harness.TestCase):
    def build(self, text, *options, compiler="gcc", to="program"):
        source = self.scratch.path(to.split(".")[0] + ".c")
        with open(source, "w", encoding="utf-8") as file:
            file.write(text)
        harness.run([compiler, "-g", "-O1", "-pthread", source, *options, "-o", self.scratch.path(to)],
                    self.scratch.folder).require_status(OK)

    def find(self):
        result, report = self.scratch.run_heddle("./program")
        result.require_status(BUG)
        self.trace = harness.trace_of(report, self.scratch)
        return report["bugs"][0]

    def replay(self, status, *says):
        result = self.scratch.heddle("replay", "--yes", self.trace)
        result.require_status(status)
        result.require_says("rebuilt", *says)
        return result

    def test_the_same_bug_at_another_line(self):
        self.build(LOSES_AN_UPDATE)
        self.find()
        self.build(UNRELATED + LOSES_AN_UPDATE)
        replay = self.replay(BUG, "Reproduced: ", "count == 2")
        replay.require("differs" not in replay.text, "every step is the same")

    def test_the_same_bug_on_another_way(self):
        self.build(LOSES_AN_UPDATE)
        self.find()
        self.build(LOSES_AN_UPDATE, "-DEARLIER")
        self.replay(BUG, "Reproduced: ", "count == 2", "On the way there the rebuilt program differs at step",
                    "mutex lock of mutex, at program.c:")

    def test_fixed_with_the_same_steps(self):
        self.build(LOSES_AN_UPDATE)
        self.find()
        self.build(LOSES_AN_UPDATE, "-DFIX")
        self.replay(OK, "Not reproduced: the same schedule ran without a bug")

    def test_another_bug_of_the_same_kind(self):
        self.build(LOSES_AN_UPDATE)
        self.find()
        self.build(LOSES_AN_UPDATE, "-DFIX", "-DOTHER")
        self.replay(NO_VERDICT, "fails, but otherwise (assertion)", "other == 1", "the trace's bug (assertion)",
                    "count == 2")

    def test_another_bug_in_the_same_words(self):
        self.build(WAITS)
        self.find()
        self.build(WAITS, "-DFIX")
        self.replay(NO_VERDICT, "fails in the same words, but at another place", "wait_stopped (program.c:",
                    "wait_started (program.c:", "The two differ at step")

    def test_other_names(self):
        """The same steps, and it fails at the same lines, in other words: a thread is called as its function."""
        self.build(WAITS)
        self.find()
        self.build(WAITS.replace("run", "serve"))
        self.replay(BUG, "Reproduced, by the same steps: ", "serve waits for a signal", "tells of it as: ",
                    "run waits for a signal")

    def test_another_exit_status(self):
        exits = LOSES_AN_UPDATE.replace("assert(count == 2);", "if (count != 2) return STATUS;")
        self.build(exits, "-DSTATUS=1")
        self.find()
        self.build(exits, "-DSTATUS=7")
        self.replay(NO_VERDICT, "fails, but otherwise (exit)", "status 7", "status 1")

    def test_a_race_elsewhere_in_the_code(self):
        compiler = harness.program("heddle-cc")
        self.build(RACES, compiler=compiler)
        self.assertEqual(self.find()["kind"], "data race")
        for text, option in ((UNRELATED + RACES, "-O1"), (RACES, "-O2"), (RACES, "-O0")):
            self.build(text, option, compiler=compiler)
            self.replay(BUG, "Reproduced: ", "shared")

    def test_points_elsewhere_in_the_code(self):
        """Accesses that race are scheduling points: the schedule is of no use where they are not found again."""
        compiler = harness.program("heddle-cc")
        self.build(FAILS_BY_A_RACE, compiler=compiler)
        result, report = self.scratch.run_heddle("--races=report", "./program")
        result.require_status(BUG)
        self.trace = harness.trace_of(report, self.scratch)
        self.assertEqual(report["bugs"][0]["kind"], "assertion")
        self.build(UNRELATED + FAILS_BY_A_RACE, compiler=compiler)
        replay = self.replay(BUG, "Reproduced: ", "seen == shared")
        replay.require("differs" not in replay.text and "not found" not in replay.text, "a point was missed")
        self.build(UNRELATED + FAILS_BY_A_RACE.replace("seen = shared;", "seen = 0 + (shared);"), compiler=compiler)
        self.replay(NO_VERDICT, "one is not found", "Diverged", "accesses that raced")

    def test_points_where_memory_is_freed(self):
        compiler = harness.program("heddle-cc")
        for text, option in itertools.product((FAILS_BY_A_FREE, READS_AND_FREES), ("-O0", "-O2")):
            self.build(text, option, compiler=compiler)
            result, report = self.scratch.run_heddle("--races=report", "./program")
            result.require_status(BUG)
            self.trace = harness.trace_of(report, self.scratch)
            self.build(UNRELATED + text, option, compiler=compiler)
            replay = self.replay(BUG, "Reproduced: ", "*number == 42")
            replay.require("differs" not in replay.text and "not found" not in replay.text, "a point was missed")

    def test_one_of_many_accesses_in_a_line(self):
        compiler = harness.program("heddle-cc")
        self.build(IN_ONE_LINE, compiler=compiler)
        result, report = self.scratch.run_heddle("--races=report", "./program")
        result.require_status(BUG)
        self.trace = harness.trace_of(report, self.scratch)
        self.build(UNRELATED + IN_ONE_LINE, compiler=compiler)
        replay = self.replay(BUG, "Reproduced: ", "seen == same")
        replay.require("differs" not in replay.text, "accesses of the line that did not race were points")

    def build_with_library(self, text, *options, **more):
        """What fails is in a library, which the program only calls."""
        text = text.replace("int main(void)", "int test(void)")
        self.build(text, "-shared", "-fPIC", *options, **{"to": "libtest.so", **more})

    def find_in_library(self, text, *options, **more):
        self.build_with_library(text, **more)
        self.build("int test(void);\nint main(void) { return test(); }\n", "-L.", "-ltest", "-Wl,-rpath=.", **more)
        result, report = self.scratch.run_heddle(*options, "./program")
        result.require_status(BUG)
        self.trace = harness.trace_of(report, self.scratch)

    def test_a_library(self):
        self.find_in_library(LOSES_AN_UPDATE)
        self.build_with_library(UNRELATED + LOSES_AN_UPDATE)
        self.replay(BUG, "libtest.so was rebuilt", "Reproduced: ", "count == 2")
        self.scratch.heddle("show", self.trace).require_says("libtest.so was rebuilt since")
        self.build_with_library(LOSES_AN_UPDATE, "-DEARLIER")
        self.replay(BUG, "Reproduced: ", "On the way there the rebuilt program differs at step")

    def test_a_library_meanwhile(self):
        """At the fourth start of the program, by what starts it."""
        self.find_in_library(LOSES_AN_UPDATE)
        starts, script = self.scratch.path("starts"), self.scratch.path("script")
        with open(script, "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\ncd {self.scratch.folder}\necho >> {starts}\n"
                       f"[ $(wc -l < {starts}) -lt 4 ] || touch libtest.so\nexec ./program\n")
        os.chmod(script, 0o755)
        result, report = self.scratch.run_heddle("--isolation=exec", "-j1", "--determinism-check=0", "--keep-going",
                                                 "--symmetry=no", "./script")
        result.require_says("libtest.so is not the file any more that it was when the search began")
        result.require(report["schedules"] >= 3 and not report["complete"], "it is not ended there")

    def test_a_library_before_a_search_is_gone_on_with(self):
        self.find_in_library(LOSES_AN_UPDATE)
        command = ("--save-every=0.001ms", "--search=random", "--keep-going", "--max-schedules=20", "./program")
        self.scratch.run_heddle(*command)
        self.scratch.run_heddle("--resume", *command)[0].require_status(BUG)
        self.build_with_library(UNRELATED + LOSES_AN_UPDATE)
        result = self.scratch.heddle("run", "--resume", *command)
        result.require_status(USAGE)
        result.require_says("libtest.so has been built anew since")

    def test_a_library_while_a_search_is_kept(self):
        """On a snapshot the old one stays loaded. What was learned is of that one."""
        self.find_in_library(LOSES_AN_UPDATE)
        self.build_with_library(UNRELATED + LOSES_AN_UPDATE, to="other.so")
        command = ("--save-every=10ms", "--search=random", "--keep-going", "--isolation=snapshot", "./program")
        state = self.scratch.path("heddle-out/program.state")
        run = subprocess.Popen([harness.OPTIONS.heddle, "run", "--time=30s", *command], cwd=self.scratch.folder,
                               text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        try:
            self.wait_for(lambda: os.path.exists(state))
            os.replace(self.scratch.path("other.so"), self.scratch.path("libtest.so"))
            self.wait_for(lambda: "not kept for --resume any more" in run.stdout.readline())
        finally:
            run.kill()
            run.communicate()
        self.scratch.heddle("run", "--resume", *command).require_says("libtest.so has been built anew since")

    def wait_for(self, condition):
        late = time.monotonic() + 60
        while not condition():
            self.assertLess(time.monotonic(), late, "it does not come")

    def test_points_in_a_library(self):
        compiler = harness.program("heddle-cc")
        self.find_in_library(FAILS_BY_A_RACE, "--races=report", compiler=compiler)
        self.build_with_library(UNRELATED + FAILS_BY_A_RACE, compiler=compiler)
        replay = self.replay(BUG, "libtest.so was rebuilt", "Reproduced: ", "seen == shared")
        replay.require("differs" not in replay.text and "not found" not in replay.text, "a point was missed")

    def test_a_race_on_something_else(self):
        compiler = harness.program("heddle-cc")
        self.build(RACES, compiler=compiler)
        self.find()
        self.build(RACES.replace("shared", "another"), compiler=compiler)
        self.replay(NO_VERDICT, "fails, but otherwise (data race)", "another", "the trace's bug (data race)", "shared")

    def test_a_race_where_nothing_is_seen(self):
        self.build(RACES, compiler=harness.program("heddle-cc"))
        self.find()
        self.build(RACES)
        self.replay(NO_VERDICT, "tells of a data race", "heddle-cc")


if __name__ == "__main__":
    harness.main()
