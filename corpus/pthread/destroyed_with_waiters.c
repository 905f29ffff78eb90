// A condition variable is destroyed while a thread waits on it.
// heddle: run
// expect: bug misuse at bound 1
// twin: destroy_when_done.c
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int stop;

static void* wait_for_stop(void* unused) {
  pthread_mutex_lock(&mutex);
  while (!stop) pthread_cond_wait(&changed, &mutex);
  pthread_mutex_unlock(&mutex);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, wait_for_stop, NULL);
  pthread_mutex_lock(&mutex);
  stop = 1;
  pthread_mutex_unlock(&mutex);
  pthread_cond_destroy(&changed);
  pthread_join(thread, NULL);
  return 0;
}
