// Four threads that are started alike enter two critical sections each. Which of them does what makes no difference:
// of 2,520 orders of the sections those are left that differ in more, and a few more that the table of states lets
// through. Without symmetry 33,576 schedules are run.
// heddle: run --search=bounded --stops=0 -j1
// expect: clean complete
// schedules: 2138
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int entered;

static void* enter_twice(void* unused) {
  for (int i = 0; i < 2; ++i) {
    pthread_mutex_lock(&lock);
    ++entered;
    pthread_mutex_unlock(&lock);
  }
  return unused;
}

int main(void) {
  pthread_t threads[4];
  for (int i = 0; i < 4; ++i) pthread_create(&threads[i], NULL, enter_twice, NULL);
  for (int i = 0; i < 4; ++i) pthread_join(threads[i], NULL);
  assert(entered == 8);
  return 0;
}
