// Two threads wait for one timer, which expires once: one of them gets it, the other waits for ever.
// heddle: run
// expect: bug deadlock at bound 0
// twin: timer_readers_fixed.c
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/timerfd.h>
#include <unistd.h>

static int timer;

static void* reader(void* unused) {
  uint64_t count = 0;
  assert(read(timer, &count, sizeof count) == sizeof count && count == 1);
  return unused;
}

static void* start(void* unused) {
  const struct itimerspec once = {.it_value = {1, 0}};
  pthread_t threads[2];
  timer = timerfd_create(CLOCK_MONOTONIC, 0);
  assert(timerfd_settime(timer, 0, &once, NULL) == 0);
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
