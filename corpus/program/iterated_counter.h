// A stress loop around two threads that add to a counter; each program has its own add().
#include <pthread.h>
#include <stddef.h>

#include "heddle/heddle.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void* add(void* unused);

static void scenario(void) {
  counter = 0;
  pthread_t one, two;
  pthread_create(&one, NULL, add, NULL);
  pthread_create(&two, NULL, add, NULL);
  pthread_join(one, NULL);
  pthread_join(two, NULL);
  heddle_assert(counter == 2, "an update is lost");
}

int main(void) {
  for (int round = 0; round < 100 && heddle_iterate(); ++round) scenario();  // natively the test is to end
  return 0;
}
