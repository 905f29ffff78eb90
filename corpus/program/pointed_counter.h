// Two threads count without a lock, in code that is not instrumented: only what says so is a scheduling point.
#include <heddle/heddle.h>
#include <pthread.h>
#include <stddef.h>

static int counter;

static void count(void);

static void* run(void* unused) {
  count();
  return unused;
}

int main(void) {
  pthread_t one, other;
  pthread_create(&one, NULL, run, NULL);
  pthread_create(&other, NULL, run, NULL);
  pthread_join(one, NULL);
  pthread_join(other, NULL);
  heddle_assert(counter == 2, "a count is lost");
  return 0;
}
