// What unnamed semaphores answer: values, try, timed and clock variants.
// heddle: run
// expect: clean complete
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>
#include <time.h>

static sem_t semaphore;

static void* poster(void* unused) {
  assert(sem_post(&semaphore) == 0);
  return unused;
}

int main(void) {
  sem_t too_large;
  assert(sem_init(&too_large, 0, (unsigned)SEM_VALUE_MAX + 1) == -1 && errno == EINVAL);
  assert(sem_init(&semaphore, 0, 1) == 0);
  int value = -1;
  assert(sem_getvalue(&semaphore, &value) == 0 && value == 1);
  assert(sem_trywait(&semaphore) == 0);
  assert(sem_trywait(&semaphore) == -1 && errno == EAGAIN);
  struct timespec time;
  clock_gettime(CLOCK_REALTIME, &time);
  assert(sem_timedwait(&semaphore, &time) == -1 && errno == ETIMEDOUT);
  clock_gettime(CLOCK_MONOTONIC, &time);
  assert(sem_clockwait(&semaphore, CLOCK_MONOTONIC, &time) == -1 && errno == ETIMEDOUT);
  pthread_t thread;
  pthread_create(&thread, NULL, poster, NULL);
  assert(sem_wait(&semaphore) == 0);
  pthread_join(thread, NULL);
  assert(sem_getvalue(&semaphore, &value) == 0 && value == 0);
  assert(sem_destroy(&semaphore) == 0);
  return 0;
}
