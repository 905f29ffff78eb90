// One condition variable for two predicates, and a broadcast: everyone looks.
// heddle: run
// expect: clean complete
// twin: missed_broadcast.c
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static sem_t early_is_waiting;
static int early_may_go, late_may_go;

// Waits first, so a first-in first-out condition variable would always wake it first.
static void* early(void* unused) {
  pthread_mutex_lock(&mutex);
  sem_post(&early_is_waiting);
  while (!early_may_go) pthread_cond_wait(&changed, &mutex);
  late_may_go = 1;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&mutex);
  return unused;
}

static void* late(void* unused) {
  pthread_mutex_lock(&mutex);
  while (!late_may_go) pthread_cond_wait(&changed, &mutex);
  pthread_mutex_unlock(&mutex);
  return unused;
}

int main(void) {
  pthread_t threads[2];
  sem_init(&early_is_waiting, 0, 0);
  pthread_create(&threads[0], NULL, early, NULL);
  sem_wait(&early_is_waiting);
  pthread_create(&threads[1], NULL, late, NULL);
  pthread_mutex_lock(&mutex);
  early_may_go = 1;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&mutex);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  return 0;
}
