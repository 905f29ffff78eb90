// A semaphore with one place is a lock.
// heddle: run
// expect: clean bound 2
// twin: semaphore_misuse.c
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

static sem_t places;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int inside;

static void change(int by) {
  pthread_mutex_lock(&mutex);
  inside += by;
  assert(inside <= 1);
  pthread_mutex_unlock(&mutex);
}

static void* visit(void* unused) {
  sem_wait(&places);
  change(1);
  change(-1);
  sem_post(&places);
  return unused;
}

int main(void) {
  pthread_t threads[2];
  sem_init(&places, 0, 1);
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, visit, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  sem_destroy(&places);
  return 0;
}
