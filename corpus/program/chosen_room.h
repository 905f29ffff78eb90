// A buffer with room for none, one or two items; each program has its own put().
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "heddle/heddle.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int room;
static int used = 0;

static void put(void);

static void* work(void* unused) {
  put();
  return unused;
}

int main(void) {
  room = heddle_choose(3);
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  put();
  pthread_join(thread, NULL);
  heddle_assert(used <= room, "more items than room");
  return 0;
}
