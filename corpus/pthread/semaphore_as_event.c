// A semaphore used as an event.
// heddle: run
// expect: clean complete
// twin: unlock_by_other.c
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

static sem_t event;

static void* signaller(void* unused) {
  sem_post(&event);
  return unused;
}

int main(void) {
  pthread_t thread;
  sem_init(&event, 0, 0);
  pthread_create(&thread, NULL, signaller, NULL);
  sem_wait(&event);
  pthread_join(thread, NULL);
  sem_destroy(&event);
  return 0;
}
