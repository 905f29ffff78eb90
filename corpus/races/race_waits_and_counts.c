// A thread waits in a loop for a plain variable, and counts its rounds in memory: to see that it waits, and is no long
// computation, takes longer than with a loop that only reads. It comes to no scheduling point by itself, and must not
// keep the writer from running.
// heddle: run
// expect: bug data race at bound 0
// says: ready
// twin: races/race_waits_in_loop_atomic.c
// build: heddle-cc
#include <pthread.h>
#include <stddef.h>

static int ready, value;
static long rounds;

static void* wait_for_it(void* unused) {
  while (ready == 0) {
    ++rounds;
    __asm__ volatile("" ::: "memory");
  }
  return value == 5 ? unused : &value;
}

static void* set(void* unused) {
  value = 5;
  ready = 1;
  return unused;
}

int main(void) {
  pthread_t waiting, setting;
  pthread_create(&waiting, NULL, wait_for_it, NULL);
  pthread_create(&setting, NULL, set, NULL);
  pthread_join(waiting, NULL);
  pthread_join(setting, NULL);
  return 0;
}
