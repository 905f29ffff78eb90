# Threads that are started alike count as interchangeable, until something tells them apart.
import harness
from harness import BUG, OK

# Each is started with the same function and argument; BODY is what it does, JOIN what main does with one.
PROGRAM = """
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long last;
static void* run(void* unused) {
  (void)unused;
  pthread_mutex_lock(&lock);
  %(body)s;
  pthread_mutex_unlock(&lock);
  return 0;
}
int main(void) {
  pthread_t threads[%(count)d];
  for (int i = 0; i < %(count)d; ++i) pthread_create(&threads[i], 0, run, 0);
  for (int i = 0; i < %(count)d; ++i) { %(join)s; }
  return 0;
}
"""
# Bugs in which it matters who of three did what. DRAW is done behind the number that each draws under a lock.
TICKETS = """
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdlib.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_t threads[3];
static sem_t go;
static pthread_t order[3];
static int tickets, *shared;
static void* draw(void* unused) {
  pthread_mutex_lock(&lock);
  const int own = tickets++;
  pthread_mutex_unlock(&lock);
  %(draw)s
  (void)own;
  return unused;
}
int main(void) {
  shared = calloc(1, sizeof *shared);
  sem_init(&go, 0, 0);
  pthread_mutex_lock(&lock);
  for (int i = 0; i < 3; ++i) {
    %(created)s
    pthread_create(&threads[i], 0, draw, 0);
  }
  pthread_mutex_unlock(&lock);
  %(joined)s
  return 0;
}
"""
ALL_JOINED = "for (int i = 0; i < 3; ++i) pthread_join(threads[i], 0);"
NAMED = "char name[16]; pthread_getname_np(pthread_self(), name, sizeof name); assert(own != 1 || name[0] != '2');"
IN_PRIORITY = """int policy; struct sched_param is; pthread_getschedparam(pthread_self(), &policy, &is);
  assert(own != 1 || policy != SCHED_BATCH);"""
BUGS = {
    "what one has returned": {
        "draw": "if (own == 1) return &lock;",
        "joined": "void* got = 0; for (int i = 0; i < 3; ++i) pthread_join(threads[i], i == 2 ? &got : 0); "
                  "assert(!got);"},
    "what comes before the last is joined": {
        "draw": "if (own == 1) { sem_wait(&go); ++*shared; } if (own == 2) sem_post(&go);",
        "joined": "pthread_join(threads[0], 0); pthread_join(threads[1], 0); free(shared); shared = 0; "
                  "pthread_join(threads[2], 0);"},
    "an inherited name": {
        "created": 'pthread_setname_np(pthread_self(), (char[]){"012"[i], 0});', "draw": NAMED},
    "a policy": {
        "draw": IN_PRIORITY,
        "joined": "struct sched_param no = {0}; pthread_setschedparam(threads[2], SCHED_BATCH, &no); " + ALL_JOINED},
    "who it is": {
        "draw": "order[own] = pthread_self();",
        "joined": ALL_JOINED + "assert(order[0] != threads[2] || order[1] != threads[0]);"},
    "a processor": {
        "draw": "if (own == 0) assert(sched_getcpu() != 0);"}}
JOIN = "pthread_join(threads[i], 0)"


class Symmetry(harness.TestCase):
    def compile(self, compiler, name, text):
        with open(self.scratch.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        harness.run([compiler, "-g", "-pthread", name, "-o", "program"], self.scratch.folder).require_status(0)
        return self.scratch.path("program")

    def run_it(self, *options, count=4, body="++last", join=JOIN):
        program = self.compile("gcc", "program.c", PROGRAM % {"count": count, "body": body, "join": join})
        result, report = self.scratch.run_heddle("--search=bounded", "--stops=0", "-j1", *options, program)
        result.require_status(OK)
        self.assertTrue(report["complete"])
        return result, report["schedules"]

    def test_one_order_of_those_that_are_alike_is_run(self):
        result, schedules = self.run_it()
        result.require_says("Assumes: threads started with the same function and argument can be swapped: nothing "
                            "depends on their stack addresses, or on which of them has ended while others are not "
                            "joined yet (--symmetry=no does without this).")
        without, all_orders = self.run_it("--symmetry=no")
        self.assertNotIn("can be swapped", without.text)
        self.assertLess(10 * schedules, all_orders)

    def test_what_tells_them_apart(self):
        everything = self.run_it("--symmetry=no", count=3)[1]
        for what in ({"body": "last = gettid()"},
                     {"join": JOIN + "; pthread_mutex_lock(&lock); pthread_mutex_unlock(&lock)"},
                     {"join": "pthread_kill(threads[i], 0); " + JOIN},
                     {"join": "pthread_cancel(threads[i]); " + JOIN}):
            result, schedules = self.run_it(count=3, **what)
            self.assertGreater(schedules, everything // 2, what)
            self.assertNotIn("can be swapped", result.text, what)

    def test_bugs_that_need_one_of_them(self):
        for what, texts in BUGS.items():
            text = TICKETS % {"draw": "", "created": "", "joined": ALL_JOINED, **texts}
            program = self.compile("gcc", "program.c", text)
            for option in ("--symmetry=no", "--symmetry=yes"):
                result, _ = self.scratch.run_heddle("--stops=0", "-j1", "--max-preemptions=1", option, program)
                result.require(result.status == BUG, f"{what}, {option}: not found")

    def test_who_fails_is_not_told_apart(self):
        program = self.compile("gcc", "program.c", TICKETS % {
            "draw": "pthread_mutex_lock(&lock); assert(*shared == 0 || own != 0); ++*shared; "
                    "pthread_mutex_unlock(&lock);",
            "created": "", "joined": ALL_JOINED})
        result, report = self.scratch.run_heddle("--stops=0", "-j1", "--keep-going", "--max-preemptions=2", program)
        result.require_status(BUG)
        result.require_says("can be swapped")

    def test_many_threads_that_are_alike(self):
        text = PROGRAM % {"count": 40, "body": "++last", "join": JOIN}
        result, report = self.scratch.run_heddle("--stops=0", "-j1", "--max-preemptions=0", "--max-schedules=50000",
                                                 self.compile("gcc", "program.c", text))
        result.require_status(OK)
        self.assertEqual(report["preemption_bound_proved"], 0)

    def test_arguments_of_std_thread(self):
        program = self.compile("g++", "program.cpp", """
#include <mutex>
#include <thread>
#include <vector>
int main(int argc, char**) {
  std::mutex lock;
  int count = 0;
  std::vector<std::thread> threads;
  const auto add = [&lock, &count](int by) { std::lock_guard held(lock); count += by; };
  for (int i = 0; i < 4; ++i) threads.emplace_back(add, argc > 1 ? i : 1);
  for (auto& thread : threads) thread.join();
  return count != (argc > 1 ? 6 : 4);
}
""")
        counts = []
        for arguments in ((), ("different",)):
            result, report = self.scratch.run_heddle("--search=bounded", "--stops=0", "-j1", program, *arguments)
            result.require_status(OK)
            counts.append(report["schedules"])
        self.assertLess(10 * counts[0], counts[1])


if __name__ == "__main__":
    harness.main()
