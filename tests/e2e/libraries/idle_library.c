// A library with a thread of its own that waits for work, whatever the program does; built without debug information.
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER;

static void* idle(void* unused) {
  pthread_mutex_lock(&mutex);
  for (;;) pthread_cond_wait(&work, &mutex);
  return unused;
}

void start_library(void) {
  pthread_t thread;
  pthread_create(&thread, 0, idle, 0);
}
