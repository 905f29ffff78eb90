# The regression store: bugs that were added are tried first, also when the program was edited since.
import json
import os

import harness
from harness import BUG, NO_VERDICT, OK, USAGE

# Fails where each of two threads is preempted between its two parts. FIX: the parts of the first are one.
TWO_PREEMPTIONS = """#include <assert.h>
#include <pthread.h>
#include <stddef.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int stage, failed;
static void part(int from) {
  pthread_mutex_lock(&mutex);
  if (stage == from) stage = from + 1;
  pthread_mutex_unlock(&mutex);
}
static void* first(void* unused) {
#ifdef FIX
  pthread_mutex_lock(&mutex);
  if (stage == 0) stage = 0;
  pthread_mutex_unlock(&mutex);
#else
  part(0);
#endif
  part(2);
  return unused;
}
static void* second(void* unused) {
  part(1);
  part(3);
  return unused;
}
int main(void) {
  pthread_t threads[2];
#ifdef EARLIER
  part(7);
#endif
  pthread_create(&threads[0], NULL, first, NULL);
#ifdef EARLIER
  part(7);
#endif
  pthread_create(&threads[1], NULL, second, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  assert(stage != 4);
#ifdef OTHER
  assert(failed == 1);
#endif
  return failed;
}
"""
# FIX: both threads take the locks in one order. GONE: nothing of it is left.
DEADLOCK = """#include <pthread.h>
#include <stddef.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static void* take(void* unused) {
  pthread_mutex_lock(&a);
  pthread_mutex_lock(&b);
  pthread_mutex_unlock(&b);
  pthread_mutex_unlock(&a);
  return unused;
}
static void* give(void* unused) {
#ifdef FIX
  return take(unused);
#endif
  pthread_mutex_lock(&b);
  pthread_mutex_lock(&a);
  pthread_mutex_unlock(&a);
  pthread_mutex_unlock(&b);
  return unused;
}
static void* nothing(void* unused) { return unused; }
int main(void) {
  pthread_t threads[2];
#ifdef GONE
  pthread_create(&threads[0], NULL, nothing, NULL);
  pthread_create(&threads[1], NULL, nothing, NULL);
  (void)take, (void)give;
#else
  pthread_create(&threads[0], NULL, take, NULL);
  pthread_create(&threads[1], NULL, give, NULL);
  (void)nothing;
#endif
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  return 0;
}
"""
# Two accesses of each thread race, and the assertion fails where the other thread comes between them. FIX: with a lock.
RACE = """#include <assert.h>
#include <pthread.h>
#include <stddef.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int count;
static void* add(void* unused) {
#ifdef FIX
  pthread_mutex_lock(&mutex);
#endif
  count = count + 1;
#ifdef FIX
  pthread_mutex_unlock(&mutex);
#endif
  return unused;
}
int main(void) {
  pthread_t threads[2];
  (void)mutex;
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, add, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  assert(count == 2);
  return 0;
}
"""
# A lost update. MORE: two locks in opposite orders besides. LOOKS: so many critical sections come in between.
UPDATE = """#include <assert.h>
#include <pthread.h>
#include <stddef.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int count;
static int get(void) { pthread_mutex_lock(&mutex); int now = count; pthread_mutex_unlock(&mutex); return now; }
static void set(int to) { pthread_mutex_lock(&mutex); count = to; pthread_mutex_unlock(&mutex); }
static void* add(void* unused) {
  int now = get();
#ifdef LOOKS
  for (int i = 0; i < LOOKS; ++i) now = get();
#endif
  set(now + 1);
  return unused;
}
static void both(pthread_mutex_t* one, pthread_mutex_t* other) {
  pthread_mutex_lock(one);
  pthread_mutex_lock(other);
  pthread_mutex_unlock(other);
  pthread_mutex_unlock(one);
}
static void* up(void* unused) { both(&a, &b); return unused; }
static void* down(void* unused) { both(&b, &a); return unused; }
static void run(void* (*one)(void*), void* (*other)(void*)) {
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, one, NULL);
  pthread_create(&threads[1], NULL, other, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
}
int main(void) {
#ifdef MORE
  run(up, down);
#else
  (void)up, (void)down;
#endif
  run(add, add);
  assert(count == 2);
  return 0;
}
"""
ABOVE = "int three_times(int a) { return 3 * a; }\n\n"


class Regressions(harness.TestCase):
    def setUp(self):
        super().setUp()
        os.mkdir(self.scratch.path(".heddle"))  # else it would be at the top of the working tree

    def build(self, text, *options, compiler="gcc"):
        with open(self.scratch.path("program.c"), "w", encoding="utf-8") as file:
            file.write(text)
        harness.run([compiler, "-g", "-O1", "-pthread", "program.c", *options, "-o", "program"],
                    self.scratch.folder).require_status(OK)

    def run_program(self, *options):
        return self.scratch.run_heddle("--minimize=no", *options, "./program")

    def add(self, *options):
        """Finds a bug and adds it; its key, and what is kept."""
        result, report = self.run_program(*options)
        result.require_status(BUG)
        self.assertEqual(report["regressions"], [])
        added = self.scratch.heddle("add", "1")
        added.require_status(OK)
        key = report["bugs"][0]["key"]
        added.require_says(f".heddle/{key}.json", "heddle run ./program")
        with open(self.scratch.path(f".heddle/{key}.json"), encoding="utf-8") as file:
            text = file.read()
        self.assertNotIn(self.scratch.folder, text)
        return key, json.loads(text)

    def again(self, key, word, status, *says, options=()):
        result, report = self.run_program(*options)
        result.require_status(status)
        result.require_says(f"Regression {key}: {word.replace('_', ' ')} (", *says)
        self.assertEqual([(one["key"], one["result"]) for one in report["regressions"]], [(key, word)])
        if word != "fails_again":
            return report
        bug = report["bugs"][0]
        self.assertEqual((bug["id"], bug["key"], bug["found_by"], bug["replays"]), (1, key, "regression", True))
        result.require_says("found (")
        return report

    def test_two_preemptions(self):
        self.build(TWO_PREEMPTIONS)
        key, kept = self.add()
        self.assertEqual(kept["program"], "program")
        self.assertGreaterEqual(len(kept["schedule"]), 2)
        report = self.again(key, "fails_again", BUG)
        self.scratch.heddle("replay", report["bugs"][0]["trace"]).require_status(BUG)
        self.scratch.heddle("show").require_says("stage != 4")
        self.build(ABOVE + TWO_PREEMPTIONS, "-DEARLIER")
        for carrier in ("fiber", "thread"):
            self.again(key, "fails_again", BUG, "stage != 4", options=[f"--carrier={carrier}"])
        self.build(ABOVE + TWO_PREEMPTIONS, "-DFIX")
        report = self.again(key, "fixed", OK, "ended well, and so did ", " others around it")
        self.assertEqual(report["bugs"], [])
        result, report = self.run_program("--regressions=no")
        self.assertEqual(report["regressions"], [])
        result.require("Regression" not in result.text, "it was tried")
        self.build(TWO_PREEMPTIONS, "-DFIX", "-DOTHER")
        self.again(key, "fails_otherwise", BUG, "failed == 1")

    def test_a_deadlock(self):
        self.build(DEADLOCK)
        key, _ = self.add()
        self.build(ABOVE + DEADLOCK)
        self.again(key, "fails_again", BUG)
        report = self.again(key, "fails_again", BUG, options=["--keep-going"])
        self.assertEqual(len(report["bugs"]), 1)
        self.build(DEADLOCK, "-DFIX")
        self.again(key, "fixed", OK, "ended well")
        self.build(DEADLOCK, "-DGONE")
        self.again(key, "no_longer_applies", OK, " does not come to mutex lock at `pthread_mutex_lock(&", "any more")

    def test_a_data_race(self):
        """What is reported of it is that of a program whose accesses are seen."""
        compiler = harness.program("heddle-cc")
        self.build(RACE, compiler=compiler)
        key, _ = self.add()
        self.assertTrue(key.startswith("data-race-"))
        self.build(ABOVE + RACE, "-O2", compiler=compiler)
        report = self.again(key, "fails_again", BUG, "count")
        self.assertNotIn("Not checked: data races.", report["assumptions"])
        self.assertIn("atomic operations", report["points"])
        self.build(RACE, "-DFIX", compiler=compiler)
        self.again(key, "fixed", OK, "ended well")
        self.build(RACE)
        self.again(key, "not_run", OK, "heddle-cc")

    def test_racing_places(self):
        """A schedule that switches threads at accesses that race."""
        compiler = harness.program("heddle-cc")
        self.build(RACE, compiler=compiler)
        key, kept = self.add("--races=report")
        self.assertEqual((key[:10], bool(kept["racing"])), ("assertion-", True))
        self.build(ABOVE + RACE, compiler=compiler)
        self.again(key, "fails_again", BUG, "count == 2")
        self.build(RACE, "-DFIX", compiler=compiler)
        self.again(key, "fixed", OK, "ended well")

    def test_a_loop_that_waits(self):
        """It counts as yielding, also where it is elsewhere in the next build."""
        with open(os.path.join(harness.OPTIONS.source, "corpus/livelock/polls_then_reads.c"), encoding="utf-8") as file:
            text = file.read()
        self.build(text)
        key, kept = self.add()
        self.assertTrue(kept["loops"])
        self.build(ABOVE + text)
        self.again(key, "fails_again", BUG)

    def test_the_store(self):
        os.rmdir(self.scratch.path(".heddle"))
        os.makedirs(self.scratch.path("top/.git"))
        os.makedirs(self.scratch.path("top/build"))
        self.build(DEADLOCK)
        os.rename(self.scratch.path("program"), self.scratch.path("top/build/program"))

        def heddle(*words):
            return harness.run([harness.OPTIONS.heddle, *words], self.scratch.path("top/build"))
        heddle("run", "--minimize=no", "./program").require_status(BUG)
        heddle("add").require_says("../.heddle/deadlock-", "heddle run build/program")
        listed = heddle("list")
        listed.require_status(OK)
        listed.require_says("deadlock-", "in take at `pthread_mutex_lock(&", "[build/program]")
        key = listed.stdout.split()[0]
        heddle("run", "--minimize=no", "./program").require_says(f"Regression {key}: fails again")
        heddle("run", "--minimize=no", "./program", "argument").require_says("Bug 1: deadlock, in schedule")
        for command, says in ((["forget"], "KEY"), (["forget", "race"], 'no bug "race"'), (["list", "x"], "no arg"),
                              (["add", "nowhere.trace"], "nowhere.trace"), (["add", "x", "y"], "too much"),
                              (["run", "--regressions=maybe", "./program"], "--regressions")):
            result = heddle(*command)
            result.require_status(USAGE)
            result.require_says(says)
        file = self.scratch.path(f"top/.heddle/{key}.json")
        with open(file, encoding="utf-8") as kept:
            text = kept.read()
        with open(self.scratch.path("top/.heddle/deadlock-0.json"), "w", encoding="utf-8") as other:
            other.write(text.replace(key, "deadlock-0"))
        result = heddle("forget", "deadlock")
        result.require_status(USAGE)
        result.require_says("may be any of deadlock-0, ")
        heddle("forget", "deadlock-0").require_says("deadlock-0 is forgotten")
        with open(self.scratch.path("top/.heddle/broken.json"), "w", encoding="utf-8") as other:
            other.write("{")
        heddle("list").require_says("broken.json is left out")
        os.remove(self.scratch.path("top/.heddle/broken.json"))
        heddle("forget", key[:10]).require_status(OK)
        self.assertEqual(os.listdir(self.scratch.path("top/.heddle")), [])

    def test_a_known_one_hides_no_other(self):
        self.build(UPDATE)
        key, _ = self.add()
        _, report = self.run_program("--regressions=no")
        with open(self.scratch.path("base.json"), "w", encoding="utf-8") as file:
            json.dump(report, file)
        result, report = self.run_program("--baseline=base.json")
        result.require_status(OK)
        result.require_says(f"Regression {key}: fails again", "(known: in base.json)", "no new bug found, 1 known")
        self.build(UPDATE, "-DMORE")
        result, report = self.run_program("--baseline=base.json")
        result.require_status(BUG)
        self.assertEqual({bug["kind"]: bug["known"] for bug in report["bugs"]}, {"assertion": True, "deadlock": False})

    def test_what_the_search_finds_is_not_fixed(self):
        """The switch of the kept schedule lies elsewhere now, too far for what is tried around it."""
        self.build(UPDATE)
        key, _ = self.add()
        self.build(UPDATE, "-DLOOKS=40")
        result, report = self.run_program()
        result.require_status(BUG)
        self.assertEqual(report["regressions"][0]["result"], "fails_again")
        self.assertEqual(report["bugs"][0]["key"], key)
        result.require_says(f"Regression {key}: fixed", f"Regression {key}: fails again",
                            "the search found it in schedule")

    def test_a_suite(self):
        self.build(DEADLOCK)
        suite = ["test", "--list=echo one; echo two", "--select={}", "--minimize=no", "./program"]
        self.scratch.heddle(*suite).require_status(BUG)
        result = self.scratch.heddle("add", "heddle-out/program-tests-1/1-one/bug-1.trace")
        result.require_says("heddle run ./program one")
        result = self.scratch.heddle(*suite)
        result.require_status(BUG)
        result.require_says(": fails again: its schedule fails as it did")
        self.assertEqual(result.text.count("regression deadlock-"), 1)
        result.require("for other" not in result.text, "a test that is there is called another")
        other = self.scratch.heddle("test", "--list=echo two", *suite[2:])
        other.require_says("1 stored schedule of program is for other tests or another folder", "heddle list")

    def test_one_that_is_not_tried(self):
        self.build(DEADLOCK)
        self.add()
        says = "1 stored schedule of program is for other arguments or another folder"
        self.scratch.heddle("run", "--minimize=no", "./program", "other").require_says(says)
        for options in (["./program"], ["-q", "./program", "other"], ["--regressions=no", "./program", "other"]):
            result = self.scratch.heddle("run", "--minimize=no", *options)
            result.require("stored schedule" not in result.text, f"a note with {options}")


if __name__ == "__main__":
    harness.main()
