// Two hundred threads in one execution, four at a time.
// heddle: run --max-schedules=60
// expect: no bug
#include <assert.h>

#include "snapshot/two_threads.h"

enum { ROUNDS = 50, AT_ONCE = 4 };
static int started;
static _Thread_local int in_tls;

static void* work(void* unused) {
  assert(++in_tls == 1);
  pthread_mutex_lock(&point_mutex);
  ++started;
  pthread_mutex_unlock(&point_mutex);
  return unused;
}

int main(void) {
  for (int round = 1; round <= ROUNDS; ++round) {
    pthread_t threads[AT_ONCE];
    for (int i = 0; i < AT_ONCE; ++i) assert(pthread_create(&threads[i], NULL, work, NULL) == 0);
    for (int i = 0; i < AT_ONCE; ++i) assert(pthread_join(threads[i], NULL) == 0);
    assert(started == round * AT_ONCE);
  }
  return 0;
}
