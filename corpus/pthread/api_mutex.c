// What each type of mutex answers: normal, recursive, error-checking, robust; lock, trylock, timedlock, clocklock.
// heddle: run
// expect: clean complete
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <time.h>

static pthread_mutex_t recursive, checking, robust, held;
static pthread_mutex_t normal = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t static_recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_mutex_t static_checking = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;

static void make(pthread_mutex_t* mutex, int type, int robustness) {
  pthread_mutexattr_t attributes;
  assert(pthread_mutexattr_init(&attributes) == 0);
  assert(pthread_mutexattr_settype(&attributes, type) == 0);
  assert(pthread_mutexattr_setrobust(&attributes, robustness) == 0);
  assert(pthread_mutex_init(mutex, &attributes) == 0);
  assert(pthread_mutexattr_destroy(&attributes) == 0);
}

static struct timespec in_a_moment(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  time.tv_nsec += 1000000;
  if (time.tv_nsec >= 1000000000) {
    time.tv_nsec -= 1000000000;
    ++time.tv_sec;
  }
  return time;
}

static void* other_thread(void* unused) {
  const struct timespec bad = {0, -1};
  const struct timespec real = in_a_moment(CLOCK_REALTIME), monotonic = in_a_moment(CLOCK_MONOTONIC);
  assert(pthread_mutex_trylock(&held) == EBUSY);
  assert(pthread_mutex_timedlock(&held, &real) == ETIMEDOUT);
  assert(pthread_mutex_clocklock(&held, CLOCK_MONOTONIC, &monotonic) == ETIMEDOUT);
  assert(pthread_mutex_timedlock(&held, &bad) == EINVAL);
  assert(pthread_mutex_unlock(&checking) == EPERM);
  assert(pthread_mutex_trylock(&recursive) == EBUSY);
  assert(pthread_mutex_lock(&robust) == 0);
  return unused;  // ends with the robust mutex locked
}

static void check_recursion(pthread_mutex_t* mutex) {
  assert(pthread_mutex_lock(mutex) == 0);
  assert(pthread_mutex_lock(mutex) == 0);
  assert(pthread_mutex_trylock(mutex) == 0);
  for (int i = 0; i < 3; ++i) assert(pthread_mutex_unlock(mutex) == 0);
}

static void check_checking(pthread_mutex_t* mutex) {
  assert(pthread_mutex_lock(mutex) == 0);
  assert(pthread_mutex_lock(mutex) == EDEADLK);
  assert(pthread_mutex_trylock(mutex) == EBUSY);
  assert(pthread_mutex_unlock(mutex) == 0);
  assert(pthread_mutex_unlock(mutex) == EPERM);
}

int main(void) {
  make(&recursive, PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_STALLED);
  make(&checking, PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_STALLED);
  make(&robust, PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ROBUST);
  make(&held, PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_STALLED);
  check_recursion(&recursive);
  check_recursion(&static_recursive);
  check_checking(&checking);
  check_checking(&static_checking);
  assert(pthread_mutex_lock(&held) == 0);
  assert(pthread_mutex_lock(&checking) == 0);
  assert(pthread_mutex_lock(&recursive) == 0);
  pthread_t thread;
  pthread_create(&thread, NULL, other_thread, NULL);
  pthread_join(thread, NULL);
  assert(pthread_mutex_trylock(&normal) == 0);
  assert(pthread_mutex_trylock(&normal) == EBUSY);
  assert(pthread_mutex_unlock(&normal) == 0);
  assert(pthread_mutex_lock(&robust) == EOWNERDEAD);
  assert(pthread_mutex_consistent(&robust) == 0);
  assert(pthread_mutex_unlock(&robust) == 0);
  assert(pthread_mutex_lock(&robust) == 0);
  assert(pthread_mutex_unlock(&robust) == 0);
  assert(pthread_mutex_unlock(&held) == 0);
  assert(pthread_mutex_destroy(&held) == 0);
  return 0;
}
