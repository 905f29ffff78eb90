// A pointer is checked in one critical section and used in the next: a fatal signal in some schedules.
// heddle: run
// expect: bug crash at bound 1
// says: SIGSEGV
// twin: null_check_once.c
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int* shared;

static void* use(void* unused) {
  pthread_mutex_lock(&mutex);
  const int present = shared != NULL;
  pthread_mutex_unlock(&mutex);
  pthread_mutex_lock(&mutex);
  if (present) ++*(volatile int*)shared;
  pthread_mutex_unlock(&mutex);
  return unused;
}

static void* retire(void* unused) {
  pthread_mutex_lock(&mutex);
  shared = NULL;
  pthread_mutex_unlock(&mutex);
  return unused;
}

int main(void) {
  static int number = 1;
  pthread_t threads[2];
  shared = &number;
  pthread_create(&threads[0], NULL, use, NULL);
  pthread_create(&threads[1], NULL, retire, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  return 0;
}
