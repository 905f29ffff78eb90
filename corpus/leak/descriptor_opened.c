// A descriptor is opened during the test and left open: it must have the same number in each execution.
// heddle: run
// expect: clean complete
#include <assert.h>
#include <fcntl.h>
#include <unistd.h>

#include "leak/look_on.h"

static int free_before;

static void* open_null(void* unused) {
  point();
  assert(open("/dev/null", O_WRONLY) == free_before);
  return unused;
}

int main(void) {
  pthread_t thread;
  free_before = open("/dev/null", O_WRONLY);
  close(free_before);
  pthread_create(&thread, NULL, open_null, NULL);
  point();
  pthread_join(thread, NULL);
  return 0;
}
