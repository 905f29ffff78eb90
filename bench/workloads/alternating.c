// Two tasks that hand the turn to each other so many times: alternating ROUNDS. Both live to the end, so that there is
// something to choose at every point; about seven points a round.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

static sem_t turns[2];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long rounds, count;

static void* take_turns(void* argument) {
  const long self = (long)argument;
  for (long i = 0; i < rounds; ++i) {
    sem_wait(&turns[self]);
    pthread_mutex_lock(&lock);
    ++count;
    pthread_mutex_unlock(&lock);
    sem_post(&turns[1 - self]);
  }
  return NULL;
}

int main(int argument_count, char** arguments) {
  if (argument_count != 2) return 2;
  rounds = atol(arguments[1]);
  sem_init(&turns[0], 0, 1);
  sem_init(&turns[1], 0, 1);
  pthread_t threads[2];
  for (long i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, take_turns, (void*)i);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  assert(count == 2 * rounds);
  return 0;
}
