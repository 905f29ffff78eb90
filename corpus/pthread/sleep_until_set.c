// A loop that sleeps until a flag is set.
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
  const struct timespec moment = {0, 10000000};
  while (!flag) nanosleep(&moment, NULL);
  pthread_join(thread, NULL);
  return 0;
}
