// A mutex used as an event: one thread locks, another unlocks, which pthreads does not allow.
// heddle: run
// expect: bug misuse at bound 0
// twin: semaphore_as_event.c
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t event = PTHREAD_MUTEX_INITIALIZER;

static void* signaller(void* unused) {
  pthread_mutex_unlock(&event);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_mutex_lock(&event);
  pthread_create(&thread, NULL, signaller, NULL);
  pthread_mutex_lock(&event);
  pthread_join(thread, NULL);
  return 0;
}
