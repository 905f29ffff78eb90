// Whoever comes third would call abort(); there are two.
// heddle: run
// expect: clean complete
// twin: aborts_at_two_places.c
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int customers;

static void* buy(void* unused) {
  pthread_mutex_lock(&lock);
  if (++customers == 3) abort();
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(void) {
  pthread_t first, second;
  pthread_create(&first, NULL, buy, NULL);
  pthread_create(&second, NULL, buy, NULL);
  pthread_join(first, NULL);
  pthread_join(second, NULL);
  return 0;
}
