// What a child process orders: what was done before the fork comes before whatever is heard of the child.
// heddle: run --max-preemptions=1
// expect: clean bound 1
// twin: races/race_counter.c
// build: heddle-cc
// isolation: fork
#include <sys/wait.h>
#include <unistd.h>

#include "races/two_threads.h"

static int value, ends[2];
__attribute__((constructor)) static void make(void) {
  if (pipe(ends) != 0) __builtin_trap();
}

static void first(void) {
  value = 1;
  const pid_t child = fork();
  if (child == 0) _exit(write(ends[1], "x", 1) != 1);
  int status = 0;
  if (waitpid(child, &status, 0) != child || status != 0) __builtin_trap();
}

static void second(void) {
  char byte = 0;
  if (read(ends[0], &byte, 1) != 1 || value != 1) __builtin_trap();
}

static void last(void) {}
