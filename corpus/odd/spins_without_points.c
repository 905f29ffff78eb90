// A thread spins on the program's own flag without yielding: it never reaches a scheduling point.
// heddle: run --execution-timeout=1s --time=8s
// expect: no verdict
// says: spins_without_points
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int flag;

static void* set(void* unused) {
  flag = 1;
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, set, NULL);
  while (!flag) {
  }
  pthread_join(thread, NULL);
  return 0;
}
