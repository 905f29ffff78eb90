// Main looks after MAIN_MILLISECONDS whether a thread is done that sleeps for 100. Nothing but time orders them.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int done;

static void sleep_for(long milliseconds) {
  const struct timespec duration = {milliseconds / 1000, milliseconds % 1000 * 1000000};
  nanosleep(&duration, NULL);
}

static void* work(void* unused) {
  sleep_for(100);
  pthread_mutex_lock(&mutex);
  done = 1;
  pthread_mutex_unlock(&mutex);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  sleep_for(MAIN_MILLISECONDS);
  pthread_mutex_lock(&mutex);
  assert(done);
  pthread_mutex_unlock(&mutex);
  pthread_join(thread, NULL);
  return 0;
}
