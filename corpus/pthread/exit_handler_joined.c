// The thread is joined before the exit handlers run.
// heddle: run
// expect: clean complete
// twin: exit_handler_race.c
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void* log_in_background(void* unused) {
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  return unused;
}

static void close_log(void) { pthread_mutex_destroy(&mutex); }

int main(void) {
  pthread_t thread;
  atexit(close_log);
  pthread_create(&thread, NULL, log_in_background, NULL);
  pthread_join(thread, NULL);
  return 0;
}
