// A thread reads the clock eight times in a row. It may be slow before the first three reads, and once more behind the
// next operation: without a preemption there is one schedule, and four are slow once.
// heddle: run --max-preemptions=1
// expect: clean bound 1
// says: 5 of them different up to the order of independent steps
#include <pthread.h>
#include <time.h>

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;

static void look(int times) {
  struct timespec time;
  for (int i = 0; i < times; ++i) clock_gettime(CLOCK_MONOTONIC, &time);
}

static void* work(void* argument) {
  look(8);
  pthread_mutex_lock(&gate);
  pthread_mutex_unlock(&gate);
  look(1);
  return argument;
}

int main(void) {
  look(1);
  pthread_t thread;
  pthread_create(&thread, 0, work, 0);
  pthread_join(thread, 0);
  return 0;
}
