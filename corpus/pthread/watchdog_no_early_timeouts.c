// The watchdog without early timeouts: it never bites, because an answer always comes.
// heddle: run --timeouts=late
// expect: clean complete
// twin: watchdog.c
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int answered;

static void* server(void* unused) {
  pthread_mutex_lock(&mutex);
  answered = 1;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&mutex);
  return unused;
}

// Waits at most five seconds for the answer; returns whether it came.
static int wait_for_answer(void) {
  struct timespec deadline;
  clock_gettime(CLOCK_REALTIME, &deadline);
  deadline.tv_sec += 5;
  int result = 0;
  while (!answered && result != ETIMEDOUT) result = pthread_cond_timedwait(&changed, &mutex, &deadline);
  return answered;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, server, NULL);
  pthread_mutex_lock(&mutex);
  assert(wait_for_answer());
  pthread_mutex_unlock(&mutex);
  pthread_join(thread, NULL);
  return 0;
}
