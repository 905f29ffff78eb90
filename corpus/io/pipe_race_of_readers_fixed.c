// Two readers poll a pipe before they read, which does not block: who comes late gets EAGAIN.
//
// heddle: run
// expect: clean bound 2
// twin: pipe_race_of_readers.c
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static int ends[2];

static void* make_and_fill(void* argument) {
  if (pipe2(ends, O_NONBLOCK) != 0 || write(ends[1], "x", 1) != 1) abort();
  return argument;
}

static void* read_if_ready(void* argument) {
  struct pollfd entry = {ends[0], POLLIN, 0};
  char byte;
  if (poll(&entry, 1, 0) == 1 && read(ends[0], &byte, 1) != 1 && errno != EAGAIN) abort();
  return argument;
}

int main(void) {
  pthread_t first, second;
  pthread_create(&first, NULL, make_and_fill, NULL);
  pthread_join(first, NULL);
  pthread_create(&first, NULL, read_if_ready, NULL);
  pthread_create(&second, NULL, read_if_ready, NULL);
  pthread_join(first, NULL);
  pthread_join(second, NULL);
}
