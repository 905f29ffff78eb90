// Three philosophers who all take the left fork first.
// heddle: run
// expect: bug deadlock at bound 1
// twin: philosophers_ordered.c
#include <pthread.h>
#include <stddef.h>

enum { PHILOSOPHERS = 3 };
static pthread_mutex_t forks[PHILOSOPHERS] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
                                              PTHREAD_MUTEX_INITIALIZER};

static void* dine(void* argument) {
  const int seat = *(const int*)argument;
  const int first = seat, second = (seat + 1) % PHILOSOPHERS;
  pthread_mutex_lock(&forks[first]);
  pthread_mutex_lock(&forks[second]);
  pthread_mutex_unlock(&forks[second]);
  pthread_mutex_unlock(&forks[first]);
  return NULL;
}

int main(void) {
  static const int seats[PHILOSOPHERS] = {0, 1, 2};
  pthread_t threads[PHILOSOPHERS];
  for (int i = 0; i < PHILOSOPHERS; ++i) pthread_create(&threads[i], NULL, dine, (void*)&seats[i]);
  for (int i = 0; i < PHILOSOPHERS; ++i) pthread_join(threads[i], NULL);
  return 0;
}
