// Whoever comes second calls abort(), each at a place of its own: to --keep-going these are two bugs, in C, too.
// heddle: run
// expect: bug assertion at bound 0
// says: abort() was called
// twin: aborts_nowhere.c
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int customers;

static int comes_second(void) {
  pthread_mutex_lock(&lock);
  const int second = ++customers == 2;
  pthread_mutex_unlock(&lock);
  return second;
}

static void* buy(void* unused) {
  if (comes_second()) abort();
  return unused;
}

static void* order(void* unused) {
  if (comes_second()) abort();
  return unused;
}

int main(void) {
  pthread_t first, second;
  pthread_create(&first, NULL, buy, NULL);
  pthread_create(&second, NULL, order, NULL);
  pthread_join(first, NULL);
  pthread_join(second, NULL);
  return 0;
}
