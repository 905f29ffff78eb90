// Creates threads without end ("more"), or a hundred that all take one lock.
// runner: bad_input_test.py
#include <pthread.h>
#include <string.h>

enum { HUNDRED = 100 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void* run(void* unused) {
  pthread_mutex_lock(&lock);
  ++count;
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(int argument_count, char** arguments) {
  pthread_t threads[HUNDRED];
  while (argument_count > 1 && strcmp(arguments[1], "more") == 0) {
    if (pthread_create(&threads[0], NULL, run, NULL) == 0) pthread_detach(threads[0]);
  }
  for (int i = 0; i < HUNDRED; ++i) pthread_create(&threads[i], NULL, run, NULL);
  for (int i = 0; i < HUNDRED; ++i) pthread_join(threads[i], NULL);
  return count == HUNDRED ? 0 : 1;
}
