// A thread prints, and looks at how much has been printed: as much as before and what it has printed, unless another
// thread has printed meanwhile. What is printed is in the file at once for whoever looks there.
#pragma once

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "snapshot/two_threads.h"

#ifdef PRINT_UNDER_A_LOCK
static pthread_mutex_t printing = PTHREAD_MUTEX_INITIALIZER;
#endif

// Without Heddle, which captures both in one file, there may be nothing to look at.
static int captured(void) {
  struct stat output, errors;
  assert(fstat(STDOUT_FILENO, &output) == 0 && fstat(STDERR_FILENO, &errors) == 0);
  return S_ISREG(output.st_mode) && output.st_dev == errors.st_dev && output.st_ino == errors.st_ino;
}

static long printed(void) {
  struct stat status;
  assert(fstat(STDOUT_FILENO, &status) == 0);
  return (long)status.st_size;
}

static const char* volatile nowhere = (const char*)8;

static long print_in_many_ways(void) {
  char long_line[5000];
  memset(long_line, '.', sizeof long_line);
  long_line[sizeof long_line - 1] = '\n';
  assert(write(STDOUT_FILENO, "by write\n", 9) == 9);
  assert(write(STDERR_FILENO, "to the other\n", 13) == 13);
  printf("by stdio\n");
  fflush(stdout);
  const struct iovec parts[] = {{"in ", 3}, {"parts\n", 6}};
  assert(writev(STDOUT_FILENO, parts, 2) == 9);
  for (int i = 0; i < 5; ++i) assert(write(STDOUT_FILENO, long_line, 4000) == 4000);
  assert(write(STDOUT_FILENO, long_line, sizeof long_line) == sizeof long_line);
  assert(write(STDOUT_FILENO, NULL, 0) == 0);
  assert(write(STDOUT_FILENO, nowhere, 5) == -1 && errno == EFAULT);
  return 9 + 13 + 9 + 9 + 5 * 4000 + sizeof long_line;
}

static void* print_and_look(void* unused) {
#ifdef PRINT_UNDER_A_LOCK
  pthread_mutex_lock(&printing);
#endif
  const long before = printed(), more = print_in_many_ways();
  assert(!captured() || lseek(STDOUT_FILENO, 0, SEEK_CUR) == before + more);
  point();
  assert(!captured() || printed() == before + more);
#ifdef PRINT_UNDER_A_LOCK
  pthread_mutex_unlock(&printing);
#endif
  return unused;
}

int main(void) {
  printf("before the threads\n");
  fflush(stdout);
  const long before = printed();
  point();
  run_two(print_and_look, print_and_look);
  assert(!captured() || printed() > before);
  return 0;
}
