// A search that begins anew when it has seen a race, and then is long; with a bug that only the racing accesses show.
// runner: resume_test.py
// build: heddle-cc
#include <pthread.h>

enum { THREADS = 3, SECTIONS = 2 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int begun;

static void* run(void* unused) {
  begun = begun + 1;
  for (int i = 0; i < SECTIONS; ++i) {
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
  }
  return unused;
}

int main(void) {
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; ++i) pthread_create(&threads[i], 0, run, 0);
  for (int i = 0; i < THREADS; ++i) pthread_join(threads[i], 0);
  return begun == THREADS ? 0 : 3;
}
