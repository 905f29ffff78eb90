// Threads: results, attributes, names, detaching, the variants of join, pthread_exit, and what misuse-free errors they
// give.
// heddle: run
// expect: clean complete
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

static sem_t may_end;

static void* named(void* argument) {
  char name[16];
  assert(pthread_getname_np(pthread_self(), name, sizeof name) == 0);
  assert(strcmp(name, "worker") == 0 || argument == NULL);
  sem_wait(&may_end);
  pthread_exit(argument);
}

static struct timespec soon(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  time.tv_sec += 1;
  return time;
}

int main(void) {
  pthread_attr_t attributes;
  pthread_t thread, detached;
  void* result = NULL;
  int state = -1;
  sem_init(&may_end, 0, 0);
  assert(pthread_setname_np(pthread_self(), "worker") == 0);  // inherited by what it creates
  assert(pthread_create(&thread, NULL, named, &state) == 0);
  assert(pthread_equal(pthread_self(), thread) == 0);
  assert(pthread_join(pthread_self(), NULL) == EDEADLK);
  assert(pthread_tryjoin_np(thread, &result) == EBUSY);
  const struct timespec over = {0, 0};
  assert(pthread_timedjoin_np(thread, &result, &over) == ETIMEDOUT);
  sem_post(&may_end);
  const struct timespec deadline = soon(CLOCK_MONOTONIC);
  while (pthread_clockjoin_np(thread, &result, CLOCK_MONOTONIC, &deadline) == ETIMEDOUT) {
    if (pthread_join(thread, &result) == 0) break;
  }
  assert(result == &state);
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  sem_post(&may_end);
  assert(pthread_create(&detached, &attributes, named, NULL) == 0);
  pthread_attr_destroy(&attributes);
  return 0;
}
