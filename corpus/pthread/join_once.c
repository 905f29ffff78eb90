// One thread joins each.
// heddle: run
// expect: clean complete
// twin: join_twice.c
#include <pthread.h>
#include <stddef.h>

static pthread_t worker;

static void* work(void* unused) { return unused; }

static void* helper(void* unused) { return unused; }

int main(void) {
  pthread_t other;
  pthread_create(&worker, NULL, work, NULL);
  pthread_create(&other, NULL, helper, NULL);
  pthread_join(worker, NULL);
  pthread_join(other, NULL);
  return 0;
}
