// Two threads that add one, the second of them started by a library that looks pthread_create() up behind us.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

int start_thread(pthread_t* thread, void* (*run)(void*));

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int sum;

static int run_two(void* (*add)(void*)) {
  pthread_t one, two;
  pthread_create(&one, NULL, add, NULL);
  if (start_thread(&two, add) != 0) return 2;
  pthread_join(one, NULL);
  pthread_join(two, NULL);
  assert(sum == 2);
  return 0;
}
