// Two threads that depend on each other in nothing, and note what time it is. A clock moves a little with each look at
// it, so who came first is to be seen in what they have noted; that is no reason to take them for dependent.
//
// heddle: run
// expect: clean complete
// says: or is equivalent to one that was
// twin: last_writer.c
#include <pthread.h>
#include <time.h>

static pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER, right = PTHREAD_MUTEX_INITIALIZER;
static struct timespec times[2];

static void* first(void* argument) {
  pthread_mutex_lock(&left);
  clock_gettime(CLOCK_MONOTONIC, &times[0]);
  pthread_mutex_unlock(&left);
  return argument;
}

static void* second(void* argument) {
  pthread_mutex_lock(&right);
  clock_gettime(CLOCK_REALTIME, &times[1]);
  pthread_mutex_unlock(&right);
  return argument;
}

int main(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, first, NULL);
  pthread_create(&threads[1], NULL, second, NULL);
  pthread_join(threads[0], NULL);
  pthread_join(threads[1], NULL);
  return times[0].tv_sec == 0 || times[1].tv_sec == 0;
}
