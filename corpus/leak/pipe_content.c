// A pipe that was made before the threads; what is written is read again in some schedules only.
// heddle: run --max-preemptions=2
// expect: clean bound 2
#include <assert.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "snapshot/two_threads.h"

static int ends[2];
static int written;

static void* write_byte(void* unused) {
  int waiting = -1;
  assert(ioctl(ends[0], FIONREAD, &waiting) == 0 && waiting == 0);
  pthread_mutex_lock(&point_mutex);
  assert(write(ends[1], "b", 1) == 1);
  written = 1;
  pthread_mutex_unlock(&point_mutex);
  return unused;
}

static void* read_if_written(void* unused) {
  char byte = 0;
  pthread_mutex_lock(&point_mutex);
  if (written) assert(read(ends[0], &byte, 1) == 1 && byte == 'b');
  pthread_mutex_unlock(&point_mutex);
  return unused;
}

int main(void) {
  assert(pipe(ends) == 0);
  run_two(write_byte, read_if_written);
  return 0;
}
