// What it does depends on the processor's time stamp counter, read where the instruction can't be replaced: behind it
// stands a jump. That is named.
// heddle: run --max-schedules=20
// expect: clean bound 0
// runner: input_test.py
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static unsigned ticks(void) {
  unsigned low, high;
  __asm__ volatile("rdtsc\n\tjmp 1f\n1:" : "=a"(low), "=d"(high));
  return low;
}

static void* work(void* unused) {
  const unsigned rounds = ticks() / 64 % 61;
  for (unsigned i = 0; i < rounds; ++i) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
  }
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  pthread_join(thread, NULL);
  return 0;
}
