// A thread that wants an io_uring is told that there is none, and goes the other way.
// heddle: run
// expect: clean complete
// says: io_uring_setup at raw_calls.h
// says: ENOSYS
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

#include "io/raw_calls.h"

static char parameters[120];  // struct io_uring_params

static void* worker(void* unused) {
  const long ring = raw_call(SYS_io_uring_setup, 4, (long)parameters, 0, 0, 0, 0);
  if (ring >= 0) close((int)ring);  // natively
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, worker, NULL);
  return pthread_join(thread, NULL);
}
