// A lock is destroyed while it is held: its holder says that it is done too early.
// heddle: run
// expect: bug misuse at bound 1
// twin: destroy_when_done.c
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

static pthread_mutex_t mutex;
static sem_t done;

static void* work(void* unused) {
  pthread_mutex_lock(&mutex);
  sem_post(&done);
  pthread_mutex_unlock(&mutex);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_mutex_init(&mutex, NULL);
  sem_init(&done, 0, 0);
  pthread_create(&thread, NULL, work, NULL);
  sem_wait(&done);
  pthread_mutex_destroy(&mutex);
  pthread_join(thread, NULL);
  return 0;
}
