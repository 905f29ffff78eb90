# The step that decides: from there on random continuations fail.
import harness
from harness import BUG

# Two threads add by two sections each: who reads behind the other's read loses what that one adds.
COUNT = """
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int count;
static int get(void) { pthread_mutex_lock(&mutex); int now = count; pthread_mutex_unlock(&mutex); return now; }
static void set(int to) { pthread_mutex_lock(&mutex); count = to; pthread_mutex_unlock(&mutex); }
static void* add(void* unused) {
  int now = get();
  set(now + 1);
  return unused;
}
int main(void) {
  pthread_t one, other;
  pthread_create(&one, 0, add, 0);
  pthread_create(&other, 0, add, 0);
  pthread_join(one, 0);
  pthread_join(other, 0);
  assert(count == 2);
  return 0;
}
"""
ALWAYS = """
#include <assert.h>
#include <pthread.h>
static void* fail(void* unused) { assert(!"always"); return unused; }
int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, fail, 0);
  return pthread_join(thread, 0);
}
"""


class Moments(harness.TestCase):
    def build(self, text):
        source, program = self.scratch.path("program.c"), self.scratch.path("program")
        with open(source, "w", encoding="utf-8") as file:
            file.write(text)
        harness.run(["gcc", "-g", "-pthread", source, "-o", program], self.scratch.folder).require_status(0)
        return program

    def test_the_step_that_decides(self):
        program = self.build(COUNT)
        for search in ("bounded", "random"):
            result, report = self.scratch.run_heddle("-j1", "--search=" + search, "--minimize=2s", program)
            result.require_status(BUG)
            bug = report["bugs"][0]
            step = bug["decisive_step"]
            self.assertIsNotNone(step, bug["curve"])
            shares = {point["steps"]: point["failed"] / point["runs"] for point in bug["curve"]}
            self.assertGreaterEqual(shares[step + 1], 0.75, bug["curve"])  # both have read
            self.assertLess(shares[0], 0.5, bug["curve"])
            self.assertEqual(shares[max(shares)], 1, bug["curve"])
            page = self.scratch.heddle("show", harness.trace_of(report, self.scratch))
            self.assertRegex(page.text, f"Step {step} (decides|makes it likely): ")
            page.require_says("Continued at random after it, ", "A schedule that passes is the same up to step ")
            with open(harness.trace_of(report, self.scratch).replace(".trace", ".txt"), encoding="utf-8") as file:
                self.assertRegex(file.read(), f"Step {step} (decides|makes it likely): ")

    def test_what_always_fails(self):
        result, report = self.scratch.run_heddle("-j1", "--minimize=2s", self.build(ALWAYS))
        result.require_status(BUG)
        self.assertIsNone(report["bugs"][0]["decisive_step"])
        self.scratch.heddle("show", harness.trace_of(report, self.scratch)).require_says(
            "No step decides: 100 of 100 random schedules fail in this way.")

    # It is no part of the search: what is counted is what the search has handed out.
    def test_it_is_not_counted(self):
        _, report = self.scratch.run_heddle("-j1", "--minimize=2s", self.build(COUNT))
        self.assertGreater(sum(point["runs"] for point in report["bugs"][0]["curve"]), 200)
        self.assertLess(report["schedules_in_all"], 100)

    def test_without_it(self):
        _, report = self.scratch.run_heddle("-j1", "--minimize=no", self.build(COUNT))
        self.assertEqual((report["bugs"][0]["decisive_step"], report["bugs"][0]["curve"]), (None, []))


if __name__ == "__main__":
    harness.main()
