// The worker checks a deadline by itself. It misses the deadline only if it is slow: while threads run, Heddle's clock
// moves by a microsecond at each read.
#include <assert.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static long long deadline;

static long long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void* work(void* argument) {
  pthread_mutex_lock(&gate);
  assert(now() < deadline);
  pthread_mutex_unlock(&gate);
  return argument;
}

int main(void) {
  deadline = now() + MILLISECONDS * 1000000LL;
  pthread_t thread;
  pthread_create(&thread, 0, work, 0);
  pthread_mutex_lock(&gate);
  pthread_mutex_unlock(&gate);
  pthread_join(thread, 0);
  return 0;
}
