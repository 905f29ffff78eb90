# Claims about calls other than locks: if a search says that every schedule was run, it must have found every outcome
# that brute force finds. Each program has main and one thread; its exit status tells the outcome of two calls in either
# order.
import os

import harness
from harness import BUG, OK

PROGRAM = """#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <threads.h>
#include <unistd.h>
static pthread_mutex_t own[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static void passes(int i) {
  for (int n = 0; n < @TIMES@; ++n) {
    pthread_mutex_lock(&own[i]);
    pthread_mutex_unlock(&own[i]);
  }
}
@DATA@
static void* thread(void* unused) {
  @THREAD@
  return unused;
}
int main(void) {
  pthread_t id;
  int result = 0;
  @BEFORE@
  pthread_create(&id, NULL, thread, NULL);
  @MAIN@
  pthread_join(id, NULL);
  @END@
  _exit(result);
}
"""
# By name: data; what is done before the thread, by it, beside it, and behind it; the outcomes.
CASES = {
    "sem_init": ("static sem_t sem;", "", "passes(1); sem_init(&sem, 0, 1);",
                 "passes(0); result = sem_trywait(&sem) == 0 ? 1 : sem_trywait(&sem) == 0 ? 2 : 3;", "", {1, 2, 3}),
    "pthread_mutex_init": ("static pthread_mutex_t mutex;", "pthread_mutex_lock(&mutex);",
                           "passes(1); pthread_mutex_init(&mutex, NULL);",
                           "passes(0); result = pthread_mutex_trylock(&mutex) == 0 ? 1 : 2;", "", {1, 2}),
    "pthread_mutex_init_beside_lock": (
        "static pthread_mutex_t mutex = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP; static int error;",
        "pthread_mutexattr_t a; pthread_mutexattr_init(&a); pthread_mutexattr_settype(&a, PTHREAD_MUTEX_RECURSIVE);",
        "passes(1); pthread_mutex_lock(&mutex); error = pthread_mutex_unlock(&mutex);",
        "passes(0); pthread_mutex_init(&mutex, &a); pthread_mutex_lock(&mutex); pthread_mutex_unlock(&mutex);",
        "result = error == 0 ? 1 : 2;", {1, 2}),
    "sem_init_that_fails": ("static sem_t sem;", "sem_init(&sem, 0, 1);",
                            "passes(1); sem_init(&sem, 0, (unsigned)SEM_VALUE_MAX + 1);",
                            "passes(0); result = sem_trywait(&sem) == 0 ? 1 : 2;", "", {1}),
    "tss_delete": ("static tss_t key; static int* called; static void end(void* p) { (void)p; *called = 1; }",
                   "called = calloc(1, sizeof *called); tss_create(&key, end);", "tss_set(key, &key); passes(1);",
                   "passes(0); tss_delete(key);", "result = *called == 1 ? 1 : 2;", {1, 2}),
    "pthread_spin_init": ("static pthread_spinlock_t spin;", "pthread_spin_lock(&spin);",
                          "passes(1); pthread_spin_init(&spin, 0);",
                          "passes(0); result = pthread_spin_trylock(&spin) == 0 ? 1 : 2;", "", {1, 2}),
    "pthread_rwlock_init": ("static pthread_rwlock_t lock;", "pthread_rwlock_wrlock(&lock);",
                            "passes(1); pthread_rwlock_init(&lock, NULL);",
                            "passes(0); result = pthread_rwlock_tryrdlock(&lock) == 0 ? 1 : 2;", "", {1, 2}),
    "pthread_key_delete": ("static pthread_key_t keys[2]; static int* called; static void first(void* p) { (void)p; "
                           "*called |= 1; } static void second(void* p) { (void)p; *called |= 2; }",
                           "called = calloc(1, sizeof *called); pthread_key_create(&keys[0], first); "
                           "pthread_key_create(&keys[1], second);",
                           "pthread_setspecific(keys[0], keys); pthread_setspecific(keys[1], keys); passes(1);",
                           "passes(0); pthread_key_delete(keys[0]); passes(0); pthread_key_delete(keys[1]);",
                           "result = *called == 2 ? 2 : 1;", {1, 2}),
    "robust_mutex": ("static pthread_mutex_t robust;",
                     "pthread_mutexattr_t a; pthread_mutexattr_init(&a); "
                     "pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST); pthread_mutex_init(&robust, &a);",
                     "pthread_mutex_trylock(&robust); passes(1);",
                     "passes(0); int e = pthread_mutex_trylock(&robust); result = e == 0 ? 1 : e == EBUSY ? 2 : 3;", "",
                     {1, 2, 3}),
    "flock": ("static int files[2];", "for (int i = 0; i < 2; ++i) files[i] = open(\"/proc/self/exe\", O_RDONLY); "
              "flock(files[0], LOCK_EX);", "passes(1); close(files[0]);",
              "passes(0); result = flock(files[1], LOCK_EX | LOCK_NB) == 0 ? 1 : 2;", "", {1, 2}),
    "pipe_size": ("static int ends[2]; static char text[8192];",
                  "(void)!pipe2(ends, O_NONBLOCK); fcntl(ends[1], F_SETPIPE_SZ, 4096);",
                  "passes(1); fcntl(ends[1], F_SETPIPE_SZ, 65536);",
                  "passes(0); result = write(ends[1], text, 8000) == 8000 ? 1 : 2;", "", {1, 2}),
    "receive_timeout": ("static int ends[2];", "socketpair(AF_UNIX, SOCK_STREAM, 0, ends);",
                        "passes(1); struct timeval second = {1, 0}; "
                        "setsockopt(ends[1], SOL_SOCKET, SO_RCVTIMEO, &second, sizeof second);",
                        "passes(0); char c; result = read(ends[1], &c, 1) < 0 ? 1 : 2;", "", {"deadlock", 1}),
}


class Claims(harness.TestCase):
    def build(self, name, times):
        data, before, thread, main, end, _ = CASES[name]
        text = PROGRAM
        for part, value in (("TIMES", str(times)), ("DATA", data), ("BEFORE", before), ("THREAD", thread),
                            ("MAIN", main), ("END", end)):
            text = text.replace(f"@{part}@", value)
        source, program = self.scratch.path(name + ".c"), self.scratch.path(name)
        with open(source, "w", encoding="utf-8") as file:
            file.write(text)
        harness.run(["gcc", "-g", "-pthread", source, "-o", program], self.scratch.folder).require_status(OK)
        return os.path.abspath(program)

    def outcomes(self, program, *options):
        """Of a search that claims to be complete."""
        log = self.scratch.path("log")
        result, report = self.scratch.run_heddle("-j1", "--keep-going", "--ok-exit=1,2,3", "--output=none", *options,
                                                 f"--execution-log={log}", program)
        self.assertIn(result.status, (OK, BUG), result.text)
        result.require(report["complete"] or report["preemption_bound_proved"] == 1, "nothing is claimed")
        with open(log, encoding="utf-8") as file:
            ends = {tuple(line.split()[2:4]) for line in file}
        return {int(status) if end == "exited" else end for end, status in ends}

    def test_every_outcome(self):
        for name in CASES:
            program = self.build(name, 1)
            for options in (("--reduction=none", "--max-preemptions=30"), ("--search=dpor",), ()):
                self.assertEqual(self.outcomes(program, *options), CASES[name][-1], f"{name}, {options}")

    def test_where_most_preemptions_bring_nothing(self):
        """Of these the bounded search makes the first 256 only."""
        for name in CASES:
            program, bound = self.build(name, 150), "--max-preemptions=1"
            expected = self.outcomes(program, "--reduction=none", bound)
            self.assertEqual(self.outcomes(program, bound), expected, name)


if __name__ == "__main__":
    harness.main()
