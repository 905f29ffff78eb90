// Sleeps of several processes, and what a parent then sees: in the order of time, as natively. SLOW: so many times as
// long as it should a child sleeps.
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { kTenth = 100000 };

static void* work(void* unused) { return unused; }
static void on_signal(int number) { (void)number; }

static long tenths(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return time.tv_sec * 10 + time.tv_nsec / (kTenth * 1000L);
}

// Who waits for a child sees the time that has passed there.
static void wait_for_one(int times) {
  const long begin = tenths(CLOCK_REALTIME);
  const pid_t child = fork();
  if (child == 0) {
    usleep((useconds_t)(3 * kTenth * times));
    _exit(0);
  }
  waitpid(child, NULL, 0);
  const long passed = tenths(CLOCK_REALTIME) - begin;
  assert(passed >= 3 && passed <= 5);
}

// So does who waits for its grandchild, by a pipe.
static void wait_for_grandchild(void) {
  int ends[2];
  char end;
  assert(pipe(ends) == 0);
  const long begin = tenths(CLOCK_MONOTONIC);
  if (fork() == 0) {
    if (fork() == 0) {
      usleep(6 * kTenth);
      write(ends[1], "e", 1);
    }
    _exit(0);
  }
  wait(NULL);
  assert(tenths(CLOCK_MONOTONIC) - begin <= 2);
  assert(read(ends[0], &end, 1) == 1);
  assert(tenths(CLOCK_MONOTONIC) - begin >= 6);
  close(ends[0]);
  close(ends[1]);
}

// A limit of two tenths is over before a child has slept for three.
static void wait_with_limit(void) {
  int ends[2];
  assert(pipe(ends) == 0);
  if (fork() == 0) {
    usleep(3 * kTenth);
    write(ends[1], "e", 1);
    _exit(0);
  }
  struct pollfd entry = {.fd = ends[0], .events = POLLIN};
  assert(poll(&entry, 1, 200) == 0);
  assert(poll(&entry, 1, 200) == 1);
  wait(NULL);
  close(ends[0]);
  close(ends[1]);
}

// The one that sleeps least writes first.
static void order_siblings(void) {
  int ends[2];
  char order[4] = "";
  assert(pipe(ends) == 0);
  for (int i = 3; i > 0; --i) {
    if (fork() != 0) continue;
    usleep((useconds_t)(i * kTenth));
    const char letter = (char)('0' + i);
    write(ends[1], &letter, 1);
    _exit(0);
  }
  for (int i = 0; i < 3; ++i) assert(read(ends[0], order + i, 1) == 1);
  while (wait(NULL) > 0) {
  }
  assert(strcmp(order, "123") == 0);
  close(ends[0]);
  close(ends[1]);
}

// It sleeps for long; a signal comes much earlier, and ends the sleep.
static void interrupt_child(void) {
  int status;
  const pid_t child = fork();
  if (child == 0) _exit(sleep(30) != 0 ? 7 : 0);
  sleep(1);
  kill(child, SIGUSR1);
  waitpid(child, &status, 0);
  assert(WEXITSTATUS(status) == 7);
}

// A loop that polls shared memory ends, whether it yields, sleeps or looks at a clock.
static void poll_shared_memory(void) {
  volatile int* shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  for (int way = 0; way < 3; ++way) {
    const long begin = tenths(CLOCK_MONOTONIC);
    if (fork() == 0) {
      usleep(4 * kTenth);
      *shared = 1;
      _exit(0);
    }
    while (*shared == 0) {
      if (way == 0) sched_yield();
      if (way == 1) usleep(kTenth / 10);
      if (way == 2) assert(tenths(CLOCK_MONOTONIC) - begin < 30);
    }
    wait(NULL);
    assert(tenths(CLOCK_MONOTONIC) - begin >= 4);
    *shared = 0;
  }
}

int main(void) {
  pthread_t thread;
  signal(SIGUSR1, on_signal);
  wait_for_one(1);  // also before the first thread
  pthread_create(&thread, NULL, work, NULL);
  pthread_join(thread, NULL);
  wait_for_one(SLOW);
  wait_for_grandchild();
  wait_with_limit();
  order_siblings();
  interrupt_child();
  poll_shared_memory();
  return 0;
}
