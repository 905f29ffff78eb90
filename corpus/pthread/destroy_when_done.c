// A lock is destroyed after its user said that it is done.
// heddle: run
// expect: clean complete
// twin: use_after_destroy.c
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

static pthread_mutex_t mutex;
static sem_t done;

static void* work(void* unused) {
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  sem_post(&done);
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
