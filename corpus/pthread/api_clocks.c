// Clocks and sleeps agree: after a sleep every clock has moved by at least as much, and an hour costs nothing.
// heddle: run
// expect: clean complete
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static long long read_ns(clockid_t clock) {
  struct timespec time;
  assert(clock_gettime(clock, &time) == 0);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void* sleeper(void* unused) {
  const long long real = read_ns(CLOCK_REALTIME), monotonic = read_ns(CLOCK_MONOTONIC);
  const time_t seconds = time(NULL);
  assert(usleep(1500) == 0);
  assert(read_ns(CLOCK_REALTIME) - real >= 1500000);
  assert(read_ns(CLOCK_MONOTONIC) - monotonic >= 1500000);
  const struct timespec second = {1, 0};
  assert(clock_nanosleep(CLOCK_MONOTONIC, 0, &second, NULL) == 0);
  assert(time(NULL) >= seconds + 1);
  struct timeval day;
  gettimeofday(&day, NULL);
  assert(day.tv_sec >= seconds + 1);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, sleeper, NULL);
  pthread_join(thread, NULL);
  return 0;
}
