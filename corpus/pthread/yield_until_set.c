// A loop that yields until a flag is set: the fair scheduler lets the other thread run.
// heddle: run
// expect: clean complete
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>
#include <time.h>

static atomic_int flag;

static void* set(void* unused) {
  flag = 1;
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, set, NULL);
  while (!flag) sched_yield();
  pthread_join(thread, NULL);
  return 0;
}
