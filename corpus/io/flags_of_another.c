// A thread makes a pipe non-blocking for a moment. The flag is one of the open file, not of the thread: another one,
// which shares no lock with it, sees it too. By partial-order reduction, where all that tells of it is that the changes
// of the flags are steps.
//
// heddle: run --search=dpor
// expect: bug assertion
// says: blocks
// twin: flags_of_another_fixed.c
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, other_lock = PTHREAD_MUTEX_INITIALIZER;
static int ends[2];

static void* make(void* argument) {
  assert(pipe(ends) == 0);
  return argument;
}

static void take(pthread_mutex_t* mutex) {
  pthread_mutex_lock(mutex);
  pthread_mutex_unlock(mutex);
}

static void* change(void* argument) {
#ifdef OTHER_END
  const int end = ends[1];
#else
  const int end = ends[0];
#endif
  take(&lock);
  fcntl(end, F_SETFL, O_NONBLOCK);
  take(&lock);
  fcntl(end, F_SETFL, 0);
  take(&lock);
  return argument;
}

static void* look(void* argument) {
  take(&other_lock);
  const int blocks = (fcntl(ends[0], F_GETFL) & O_NONBLOCK) == 0;
  assert(blocks);
  take(&other_lock);
  return argument;
}

int main(void) {
  pthread_t first, second;
  pthread_create(&first, NULL, make, NULL);
  pthread_join(first, NULL);
  pthread_create(&first, NULL, change, NULL);
  pthread_create(&second, NULL, look, NULL);
  pthread_join(first, NULL);
  pthread_join(second, NULL);
}
