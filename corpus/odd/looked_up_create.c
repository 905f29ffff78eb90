// A thread that a library starts behind Heddle (dlsym with RTLD_NEXT) is controlled. Both read and write in two
// sections.
// heddle: run
// expect: bug assertion at bound 1
// says: sum == 2
// twin: looked_up_create_fixed
// library: odd/library/starts_threads.c
#include "looked_up_create.h"

static void* add(void* unused) {
  pthread_mutex_lock(&mutex);
  const int seen = sum;
  pthread_mutex_unlock(&mutex);
  pthread_mutex_lock(&mutex);
  sum = seen + 1;
  pthread_mutex_unlock(&mutex);
  return unused;
}

int main(void) { return run_two(add); }
