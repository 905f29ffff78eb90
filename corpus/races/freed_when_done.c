// Semaphores, barriers and locks that are freed at once by whom they let go on, as POSIX allows: the other threads may
// still be on their way out of their calls.
// heddle: run
// expect: clean complete
// twin: races/race_lock_freed.c
// build: heddle-cc
#include <semaphore.h>
#include <stdlib.h>

#include "races/two_threads.h"

static sem_t* posted;
static pthread_barrier_t* met;
static pthread_mutex_t* lock;
static pthread_rwlock_t* shared;
static int owners = 2;

__attribute__((constructor)) static void make(void) {
  posted = malloc(sizeof *posted);
  sem_init(posted, 0, 0);
  met = malloc(sizeof *met);
  pthread_barrier_init(met, NULL, 2);
  lock = malloc(sizeof *lock);
  pthread_mutex_init(lock, NULL);
  shared = malloc(sizeof *shared);
  pthread_rwlock_init(shared, NULL);
}

static void meet(void) {
  if (pthread_barrier_wait(met) != PTHREAD_BARRIER_SERIAL_THREAD) return;
  pthread_barrier_destroy(met);
  free(met);
}

static void let_go(void) {
  pthread_mutex_lock(lock);
  const int left = --owners;
  pthread_mutex_unlock(lock);
  if (left != 0) return;
  pthread_mutex_destroy(lock);
  free(lock);
}

static void first(void) {
  pthread_rwlock_rdlock(shared);
  pthread_rwlock_unlock(shared);
  sem_post(posted);
  meet();
  let_go();
}

static void second(void) {
  sem_wait(posted);
  free(posted);
  pthread_rwlock_wrlock(shared);
  pthread_rwlock_unlock(shared);
  free(shared);
  meet();
  let_go();
}

static void last(void) {}
