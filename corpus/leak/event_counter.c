// The counter of an eventfd that was made before the threads.
// heddle: run --max-preemptions=2
// expect: clean bound 2
#include <assert.h>
#include <errno.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "leak/look_on.h"

static int event;

static void* signal_event(void* unused) {
  uint64_t value = 0;
  assert(read(event, &value, sizeof value) == -1 && errno == EAGAIN);
  point();
  value = 3;
  assert(write(event, &value, sizeof value) == sizeof value);
  return unused;
}

int main(void) {
  event = eventfd(0, EFD_NONBLOCK);
  assert(event >= 0);
  run_beside(signal_event);
  return 0;
}
