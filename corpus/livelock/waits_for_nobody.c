// A thread waits in a loop for a plain variable that nobody writes.
// heddle: run
// expect: bug livelock at bound 0
// says: reads stop again and again, which nobody will change
// says: waits_for_nobody.c:14
// twin: races/race_waits_in_loop_atomic.c
// build: heddle-cc
#include <pthread.h>
#include <stddef.h>

int stop;

static void* work(void* unused) {
  while (stop == 0) __asm__ volatile("" ::: "memory");
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  pthread_join(thread, NULL);
  return 0;
}
