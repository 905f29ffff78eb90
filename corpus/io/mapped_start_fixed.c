// Two threads start what they share in the memory of a file, and look and start under one lock.
// heddle: run --max-preemptions=2
// expect: clean bound 2
// twin: mapped_start.c
// isolation: exec
#define _GNU_SOURCE
#include <assert.h>
#include <sys/mman.h>
#include <unistd.h>

#include "snapshot/two_threads.h"

static int memory;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void* start_once(void* unused) {
  int* started = mmap(NULL, sizeof *started, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
  assert(started != MAP_FAILED);
  pthread_mutex_lock(&lock);
  if (!*started) {
    point();
    assert(!*started);
    *started = 1;
  }
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(void) {
  memory = memfd_create("started", 0);
  assert(memory >= 0 && ftruncate(memory, 4096) == 0);
  run_two(start_once, start_once);
  return 0;
}
