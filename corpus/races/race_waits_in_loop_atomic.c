// A thread waits in a loop for an atomic variable, which orders what comes behind it.
// heddle: run
// expect: clean complete
// twin: races/race_waits_in_loop.c
// build: heddle-cc
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int ready;
static int value;

static void* wait_for_it(void* unused) {
  while (ready == 0) __asm__ volatile("" ::: "memory");
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
