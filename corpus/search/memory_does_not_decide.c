// As memory_decides.c, but what is shared is looked at under the mutex under which it is written.
//
// heddle: run
// expect: clean complete
// says: or is equivalent to one that was
// twin: memory_decides.c
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER;
static atomic_int begun, done, warned;

static void* work(void* argument) {
  pthread_mutex_lock(&left);
  begun = 1;
  done = 1;
  pthread_mutex_unlock(&left);
  return argument;
}

static void* look(void* argument) {
  pthread_mutex_lock(&left);
  const int was_begun = begun, was_done = done;
  pthread_mutex_unlock(&left);
  if (was_begun) {
    pthread_mutex_lock(&left);
    warned = !was_done && !done;
    pthread_mutex_unlock(&left);
  }
  return argument;
}

int main(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, work, NULL);
  pthread_create(&threads[1], NULL, look, NULL);
  pthread_join(threads[0], NULL);
  pthread_join(threads[1], NULL);
  assert(!warned);
  return 0;
}
