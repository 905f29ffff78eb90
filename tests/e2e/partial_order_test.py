# Partial-order reduction of programs that wait for something other than an object of the model: pipes, signals, timers,
# cancellation, children.
import os
import re

import harness
from harness import BUG, OK

# By program: all classes that there are, as brute force finds them.
CLASSES = {
    "alarm_before_threads": 6,
    "alarm_disarmed_fixed": 6,
    "alarm_of_another_fixed": 27,  # a thread that ends leaves its signal to another one
    "cancel_condition_wait_fixed": 3,
    "cancel_holding_lock_fixed": 1,
    "child_ends_unseen_fixed": 4,
    "eintr_taken_for_post_fixed": 6,
    "end_of_pipe": 30,
    "event_loop": 22,
    "input_signal_fixed": 2,
    "number_of_another_fixed": 2,
    "pair_of_sockets": 38,
    "pipe_from_before": 1,
    "poll_then_wait_fixed": 1,
    "semaphore_set_order_fixed": 2,
    "signal_before_suspend_fixed": 5,
    "signal_order_fixed": 4,
    "signal_thread": 4,
    "signal_to_any_thread_fixed": 3,
    "timer_readers_fixed": 4,
    "timer_signals": 42,
}
# A writer and a reader of a pipe, and a thread that has nothing to do with them.
# The queue is opened, and not used, before the first thread.
QUEUE = """#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <stddef.h>
static mqd_t queue;
static void* sends(void* text) { return mq_send(queue, text, 2, 0) == 0 ? NULL : text; }
static void* counts(void* unused) {
  struct mq_attr now;
  return mq_getattr(queue, &now) == 0 && now.mq_curmsgs == 1 ? &queue : unused;
}
static void* closes(void* unused) { return mq_close(queue) == 0 ? unused : &queue; }
static void* does_not_wait(void* unused) {
  struct mq_attr wanted = {.mq_flags = O_NONBLOCK};
  return mq_setattr(queue, &wanted, NULL) == 0 ? unused : &queue;
}
int main(void) {
  struct mq_attr attributes = {.mq_maxmsg = 1, .mq_msgsize = 16};
  pthread_t threads[2];
  void* results[2];
  queue = mq_open("/heddle_test_queue", O_RDWR | O_CREAT, 0600, &attributes);
  if (queue < 0 || mq_unlink("/heddle_test_queue") != 0) return 99;
  pthread_create(&threads[0], NULL, sends, "x");
  pthread_create(&threads[1], NULL, OTHER, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], &results[i]);
  return (results[0] != NULL ? 2 : 0) + (results[1] != NULL ? 1 : 0);
}
"""

BESIDE_A_PIPE = """#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>
enum { kTimes = 5 };
static int ends[2], count;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static void* adds(void* unused) {
  for (int i = 0; i < kTimes; ++i) {
    pthread_mutex_lock(&mutex);
    ++count;
    pthread_mutex_unlock(&mutex);
  }
  return unused;
}
static void* writes(void* unused) {
  for (int i = 0; i < kTimes; ++i) assert(write(ends[1], "x", 1) == 1);
  return unused;
}
int main(void) {
  pthread_t threads[2];
  char read_here;
  assert(pipe(ends) == 0);
  pthread_create(&threads[0], NULL, adds, NULL);
  pthread_create(&threads[1], NULL, writes, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  for (int i = 0; i < kTimes; ++i) assert(read(ends[0], &read_here, 1) == 1);
  return count != kTimes;
}
"""
# The handler runs in main if the alarm comes before the end of the thread.
ALARM = """#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>
static _Thread_local int is_main;
static volatile int in_main;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static void on_alarm(int number) { in_main |= is_main && number == SIGALRM; }
static void* work(void* unused) {
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  return unused;
}
int main(void) {
  pthread_t thread;
  is_main = 1;
  signal(SIGALRM, on_alarm);
  pthread_create(&thread, NULL, work, NULL);
  alarm(1);
  pthread_join(thread, NULL);
  assert(!in_main);
  return 0;
}
"""
# poll() finds nothing, unless it comes before the other thread's read.
POLLS = """#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>
static int ends[2];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static void* reads(void* unused) {
  char byte;
  assert(read(ends[0], &byte, 1) == 1);
  return unused;
}
static void* polls(void* unused) {
  struct pollfd entry = {ends[0], POLLIN, 0};
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  poll(&entry, 1, 50);
  return unused;
}
int main(void) {
  pthread_t threads[2];
  assert(pipe(ends) == 0 && write(ends[1], "x", 1) == 1);
  pthread_create(&threads[0], NULL, reads, NULL);
  pthread_create(&threads[1], NULL, polls, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  return 0;
}
"""


class PartialOrder(harness.TestCase):
    def search(self, program, *options):
        result, report = self.scratch.run_heddle("-j1", "--search=dpor", "--time=60s", *options, program)
        result.require_status(OK)
        result.require(report["complete"] and report["lost_coverage"] == 0, "it did not run every schedule")
        return result, report

    def classes_of(self, result, report):
        """Where all are different, the line does not say so."""
        match = re.search(r"([\d,]+) of them different", result.text)
        return int(match.group(1).replace(",", "")) if match else report["schedules"]

    def test_every_class(self):
        for name, classes in CLASSES.items():
            result, report = self.search(harness.program("corpus/" + name))
            found = self.classes_of(result, report)
            result.require(found == classes, f"{name}: {found} classes in place of {classes}")

    def test_classes_as_by_brute_force(self):
        """The numbers above are right."""
        for name in ("alarm_of_another_fixed", "eintr_taken_for_post_fixed", "end_of_pipe", "signal_thread"):
            result, report = self.scratch.run_heddle("-j1", "--reduction=none", harness.program("corpus/" + name))
            result.require_status(OK)
            result.require(report["complete"], "not all")
            found = self.classes_of(result, report)
            result.require(found == CLASSES[name], f"{name}: {found} classes in place of {CLASSES[name]}")

    def build(self, text):
        source, program = self.scratch.path("program.c"), self.scratch.path("program")
        with open(source, "w", encoding="utf-8") as file:
            file.write(text)
        harness.run(["gcc", "-O1", "-g", "-pthread", source, "-o", program], self.scratch.folder).require_status(0)
        return os.path.abspath(program)

    def test_a_pipe_has_nothing_to_do_with_a_mutex(self):
        result, report = self.search(self.build(BESIDE_A_PIPE))
        result.require(report["schedules"] == 1, f"{report['schedules']} schedules where one is all")

    def test_queues_that_were_not_used_before(self):
        """What depends on who waits there is not promised, but run."""
        for other, status, complete in (("counts", 1, True), ("closes", 2, False), ("does_not_wait", None, False)):
            program = self.build(QUEUE.replace("OTHER", other))
            result, report = self.scratch.run_heddle("-j1", "--search=dpor", "--keep-going", program)
            result.require_status(BUG if status else OK)
            result.require([bug["message"] for bug in report["bugs"]] ==
                           ([f"the program ended with exit status {status}"] if status else []), "another bug")
            result.require(report["complete"] == complete, f"complete: {report['complete']}")
            if complete:
                result.require(self.classes_of(result, report) == 2, "another number of orders")
            else:
                result.require_says("is decided by how far the calls are that wait there, too")

    def test_a_timer_expires_early(self):
        result, report = self.scratch.run_heddle("-j1", "--search=dpor", self.build(ALARM))
        result.require_status(BUG)
        result.require("in_main" in report["bugs"][0]["message"], "another bug")

    def test_what_it_knows_too_little_of_is_not_promised(self):
        result, report = self.scratch.run_heddle("-j1", "--search=dpor", "--timeouts=late", self.build(POLLS))
        result.require(not report["complete"], "a poll that ended by its deadline could have come before the read")
        self.search(self.scratch.path("program"))


if __name__ == "__main__":
    harness.main()
