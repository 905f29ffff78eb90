// Two threads join the same one.
// heddle: run
// expect: bug misuse at bound 0
// twin: join_once.c
#include <pthread.h>
#include <stddef.h>

static pthread_t worker;

static void* work(void* unused) { return unused; }

static void* helper(void* unused) {
  pthread_join(worker, NULL);
  return unused;
}

int main(void) {
  pthread_t other;
  pthread_create(&worker, NULL, work, NULL);
  pthread_create(&other, NULL, helper, NULL);
  pthread_join(worker, NULL);
  pthread_join(other, NULL);
  return 0;
}
