// Condition waits measured against either clock; a wait whose time is over returns at once, holding the lock.
// heddle: run
// expect: clean complete
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t real = PTHREAD_COND_INITIALIZER;
static pthread_cond_t monotonic;

static long long now_ns(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static struct timespec after_ms(clockid_t clock, long long milliseconds) {
  const long long time = now_ns(clock) + milliseconds * 1000000;
  const struct timespec result = {time / 1000000000, time % 1000000000};
  return result;
}

static void* wait_in_vain(void* unused) {
  const struct timespec bad = {0, 1000000000};
  pthread_mutex_lock(&mutex);
  const long long started = now_ns(CLOCK_MONOTONIC);  // first: it may be slow between the two
  struct timespec deadline = after_ms(CLOCK_REALTIME, 50);
  assert(pthread_cond_timedwait(&real, &mutex, &deadline) == ETIMEDOUT);
  assert(now_ns(CLOCK_MONOTONIC) - started >= 49000000);
  deadline = after_ms(CLOCK_MONOTONIC, -50);
  assert(pthread_cond_timedwait(&monotonic, &mutex, &deadline) == ETIMEDOUT);
  deadline = after_ms(CLOCK_MONOTONIC, 50);
  assert(pthread_cond_clockwait(&real, &mutex, CLOCK_MONOTONIC, &deadline) == ETIMEDOUT);
  assert(pthread_cond_timedwait(&real, &mutex, &bad) == EINVAL);
  pthread_mutex_unlock(&mutex);
  return unused;
}

int main(void) {
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  assert(pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC) == 0);
  assert(pthread_cond_init(&monotonic, &attributes) == 0);
  pthread_t thread;
  pthread_create(&thread, NULL, wait_in_vain, NULL);
  pthread_join(thread, NULL);
  assert(pthread_cond_destroy(&monotonic) == 0);
  return 0;
}
