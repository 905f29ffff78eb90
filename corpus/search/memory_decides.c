// Two threads that use different mutexes, so that their sections seem to be independent; but one looks at what the
// other has written. The search begins by leaving out what seems equivalent, sees that it is not, and begins again.
//
// heddle: run --keep-going --max-preemptions=3
// expect: bug assertion
// says: schedules that seem equivalent are all run
// twin: memory_does_not_decide.c
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER, right = PTHREAD_MUTEX_INITIALIZER;
static atomic_int begun, done, warned;

static void* work(void* argument) {
  pthread_mutex_lock(&left);
  begun = 1;
  pthread_mutex_unlock(&left);
  pthread_mutex_lock(&left);
  done = 1;
  pthread_mutex_unlock(&left);
  return argument;
}

static void* look(void* argument) {
  pthread_mutex_lock(&right);
  const int was_begun = begun, was_done = done;
  pthread_mutex_unlock(&right);
  if (was_begun) {
    pthread_mutex_lock(&right);
    warned = !was_done;
    pthread_mutex_unlock(&right);
  }
  return argument;
}

int main(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, work, NULL);
  pthread_create(&threads[1], NULL, look, NULL);
  pthread_join(threads[0], NULL);
  pthread_join(threads[1], NULL);
  assert(!warned);
  return 0;
}
