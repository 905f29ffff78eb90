// A sleep stands for synchronization: long enough, until it is not.
// heddle: run
// expect: bug assertion at bound 1
// says: time
// twin: sleep_then_join.c
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
  assert(ready);
  pthread_join(thread, NULL);
  return 0;
}
