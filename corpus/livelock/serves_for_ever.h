// Shared by serves_for_ever and its twin.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

enum { kThreads = 2 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t all_began = PTHREAD_COND_INITIALIZER;
static long balance, served;
static int begun;

// Once all have begun, they take turns.
static void serve_for_ever(void) {
  pthread_mutex_lock(&lock);
  if (++begun == kThreads) pthread_cond_broadcast(&all_began);
  while (begun < kThreads) pthread_cond_wait(&all_began, &lock);
  assert(balance == 2);
  for (;;) {
    ++served;
    pthread_cond_signal(&all_began);
    pthread_cond_wait(&all_began, &lock);
  }
}

static int run_two(void* (*serve)(void*)) {
  pthread_t threads[kThreads];
  for (int i = 0; i < kThreads; ++i) pthread_create(&threads[i], NULL, serve, NULL);
  for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
  return 0;
}
