// pthread_once: the initializer runs once, and nobody goes on before it is done.
// heddle: run
// expect: clean complete
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int initialized;

static void initialize(void) {
  pthread_mutex_lock(&mutex);
  ++initialized;
  pthread_mutex_unlock(&mutex);
}

static void* work(void* unused) {
  assert(pthread_once(&once, initialize) == 0);
  assert(initialized == 1);
  return unused;
}

int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, work, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  return 0;
}
