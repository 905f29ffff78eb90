// The same, with a join.
// heddle: run
// expect: clean complete
// twin: sleep_as_synchronization.c
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

static atomic_int ready;

static void* prepare(void* unused) {
  usleep(1000);
  ready = 1;
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, prepare, NULL);
  sleep(1);
  pthread_join(thread, NULL);
  assert(ready);
  return 0;
}
