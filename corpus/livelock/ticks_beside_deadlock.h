// Two threads that each take two locks, beside one that only ticks.
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

static pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER, right = PTHREAD_MUTEX_INITIALIZER;

static void* tick(void* unused) {
  for (;;) usleep(1000);
  return unused;
}

static void* take_both(void* locks) {
  pthread_mutex_t** const two = locks;
  pthread_mutex_lock(two[0]);
  pthread_mutex_lock(two[1]);
  pthread_mutex_unlock(two[1]);
  pthread_mutex_unlock(two[0]);
  return NULL;
}

static int run_beside_ticks(pthread_mutex_t* a, pthread_mutex_t* b, pthread_mutex_t* c, pthread_mutex_t* d) {
  pthread_mutex_t* one_locks[] = {a, b};
  pthread_mutex_t* two_locks[] = {c, d};
  pthread_t service, one, two;
  pthread_create(&service, NULL, tick, NULL);
  pthread_create(&one, NULL, take_both, one_locks);
  pthread_create(&two, NULL, take_both, two_locks);
  pthread_join(one, NULL);
  pthread_join(two, NULL);
  return 0;
}
