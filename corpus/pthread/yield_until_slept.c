// main yields until another thread has slept and set a flag: while all yield, time goes on, or this would never end.
// heddle: run
// expect: clean complete
#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#include <unistd.h>

static volatile int done;

static void* sleeper(void* unused) {
  usleep(1000);
  done = 1;
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, sleeper, NULL);
  while (!done) sched_yield();
  return pthread_join(thread, NULL);
}
