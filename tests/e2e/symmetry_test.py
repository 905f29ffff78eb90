# Threads that are started alike count as interchangeable, until something tells them apart.
import harness
from harness import OK

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
        result.require_says("Assumes: threads that start with the same function and argument don't act on their own "
                            "ids and addresses (--symmetry=no does without this).")
        without, all_orders = self.run_it("--symmetry=no")
        self.assertNotIn("the same function and argument", without.text)
        self.assertLess(10 * schedules, all_orders)

    def test_what_tells_them_apart(self):
        everything = self.run_it("--symmetry=no", count=3)[1]
        for what in ({"body": "last = gettid()"},
                     {"join": JOIN + "; pthread_mutex_lock(&lock); pthread_mutex_unlock(&lock)"},
                     {"join": "pthread_kill(threads[i], 0); " + JOIN},
                     {"join": "pthread_cancel(threads[i]); " + JOIN}):
            result, schedules = self.run_it(count=3, **what)
            self.assertGreater(schedules, everything // 2, what)
            self.assertNotIn("the same function and argument", result.text, what)

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
