// Creates threads without end ("more"), or a hundred that all take one lock; or as many as it is told, which take one
// of eight locks as often as it is told.
// runner: bad_input_test.py
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { HUNDRED = 100, MOST = 1000, LOCKS = 8 };
static pthread_mutex_t locks[LOCKS] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
                                       PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
                                       PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static int counts[LOCKS];
static int rounds = 1;

static void* run(void* number) {
  for (int i = 0; i < rounds; ++i) {
    const int which = (int)(((long)number + i) % LOCKS);
    pthread_mutex_lock(&locks[which]);
    ++counts[which];
    pthread_mutex_unlock(&locks[which]);
  }
  return NULL;
}

int main(int argument_count, char** arguments) {
  pthread_t threads[MOST];
  while (argument_count > 1 && strcmp(arguments[1], "more") == 0) {
    if (pthread_create(&threads[0], NULL, run, NULL) == 0) pthread_detach(threads[0]);
  }
  const int count = argument_count > 2 ? atoi(arguments[1]) : HUNDRED;
  if (count > MOST) return 2;
  const bool told = argument_count > 2;
  if (told) rounds = atoi(arguments[2]);
  for (long i = 0; i < count; ++i) pthread_create(&threads[i], NULL, run, told ? (void*)i : NULL);
  for (int i = 0; i < count; ++i) pthread_join(threads[i], NULL);
  int sum = 0;
  for (int i = 0; i < LOCKS; ++i) sum += counts[i];
  return sum == count * rounds ? 0 : 1;
}
