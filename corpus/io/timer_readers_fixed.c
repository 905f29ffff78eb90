// Two threads wait for one timer, which expires again and again: each gets an expiry. Natively too, the first may count
// more than one.
// heddle: run --max-preemptions=2
// expect: clean bound 2
// twin: timer_readers.c
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/timerfd.h>
#include <unistd.h>

static int timer;

static void* reader(void* unused) {
  uint64_t count = 0;
  assert(read(timer, &count, sizeof count) == sizeof count && count >= 1);
  return unused;
}

static void* start(void* unused) {
  const struct itimerspec row = {{1, 0}, {1, 0}};
  pthread_t threads[2];
  timer = timerfd_create(CLOCK_MONOTONIC, 0);
  assert(timerfd_settime(timer, 0, &row, NULL) == 0);
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, reader, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, start, NULL);
  pthread_join(thread, NULL);
  return 0;
}
