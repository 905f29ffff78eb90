// Two threads whose sections have different mutexes, so that their order seems not to matter; but both write to one
// variable, without a lock that they share. No outcome shows it. What the variable holds at the end does: the search
// compares it, of some schedules and of another order of the same steps, and begins again without leaving any out.
//
// heddle: run
// expect: clean complete
// says: schedules that seem equivalent are all run, from the beginning: two schedules that differ only in the order of independent steps left different memory: last_writer was 2 or 1 at the end
// twin: last_writer_fixed.c
#include <pthread.h>

static pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER, right = PTHREAD_MUTEX_INITIALIZER;
static volatile int last_writer;

static void write_under(pthread_mutex_t* mutex, int writer) {
  pthread_mutex_lock(mutex);
  last_writer = writer;
  pthread_mutex_unlock(mutex);
}

static void* first(void* argument) {
  write_under(&left, 1);
  return argument;
}

static void* second(void* argument) {
  write_under(&right, 2);
  return argument;
}

int main(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, first, NULL);
  pthread_create(&threads[1], NULL, second, NULL);
  pthread_join(threads[0], NULL);
  pthread_join(threads[1], NULL);
  return 0;
}
