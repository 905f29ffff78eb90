// Keys and their destructors: each thread has its own values, destructors run again while they leave values behind.
// heddle: run
// expect: clean complete
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_key_t key, again;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int destroyed, rounds;

static void count(void* value) {
  pthread_mutex_lock(&mutex);
  destroyed += *(int*)value;
  pthread_mutex_unlock(&mutex);
}

static void once_more(void* value) {
  if (++rounds < 3) pthread_setspecific(again, value);
}

static void* work(void* argument) {
  assert(pthread_getspecific(key) == NULL);
  assert(pthread_setspecific(key, argument) == 0);
  assert(pthread_getspecific(key) == argument);
  if (*(int*)argument == 2) pthread_setspecific(again, argument);
  return NULL;
}

int main(void) {
  static int values[] = {1, 2};
  pthread_t threads[2];
  assert(pthread_key_create(&key, count) == 0);
  assert(pthread_key_create(&again, once_more) == 0);
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, work, &values[i]);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  assert(destroyed == 3);
  assert(rounds == 3);
  assert(pthread_key_delete(key) == 0);
  return 0;
}
