// What the processor holds for each thread: the rounding mode and the exception flags are those of the creating thread,
// whatever the threads of the execution before have set.
// heddle: run --max-preemptions=1
// expect: clean bound 1
#include <assert.h>
#include <xmmintrin.h>

#include "snapshot/two_threads.h"

static volatile double one = 1.0, three = 3.0;

static void* change(void* unused) {
  assert(_MM_GET_ROUNDING_MODE() == _MM_ROUND_NEAREST);
  assert((_MM_GET_EXCEPTION_STATE() & _MM_EXCEPT_DIV_ZERO) == 0);
  _MM_SET_ROUNDING_MODE(_MM_ROUND_UP);
  const double up = one / three;
  point();
  assert(_MM_GET_ROUNDING_MODE() == _MM_ROUND_UP);
  _MM_SET_ROUNDING_MODE(_MM_ROUND_DOWN);
  assert(one / three < up);
  _MM_SET_EXCEPTION_STATE(_MM_EXCEPT_DIV_ZERO);
  return unused;
}

static void* keep(void* unused) {
  assert(_MM_GET_ROUNDING_MODE() == _MM_ROUND_NEAREST);
  const double nearest = one / three;
  point();
  assert(_MM_GET_ROUNDING_MODE() == _MM_ROUND_NEAREST && one / three == nearest);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, keep, NULL);
  assert(_MM_GET_ROUNDING_MODE() == _MM_ROUND_NEAREST && (_MM_GET_EXCEPTION_STATE() & _MM_EXCEPT_DIV_ZERO) == 0);
  run_two(change, keep);
  pthread_join(thread, NULL);
  assert(_MM_GET_ROUNDING_MODE() == _MM_ROUND_NEAREST);
  _MM_SET_ROUNDING_MODE(_MM_ROUND_TOWARD_ZERO);
  _MM_SET_EXCEPTION_STATE(_MM_EXCEPT_DIV_ZERO);
  return 0;
}
