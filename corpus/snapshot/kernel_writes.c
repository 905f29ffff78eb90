// System calls that write into the program's memory, also into pages that nothing else writes to: each result arrives,
// as it does without Heddle, where a write-protected page would give EFAULT.
// heddle: run --max-preemptions=1
// expect: clean bound 1
#define _GNU_SOURCE
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "snapshot/two_threads.h"

enum { PAGE = 4096 };
static _Alignas(PAGE) char raw[4 * PAGE], spread[4 * PAGE], stat_page[PAGE], directory[2 * PAGE];
static FILE* file;

static void* read_all(void* unused) {
  char line[100];
  point();
  assert(raw[0] == 0 && raw[PAGE + 10] == 0 && stat_page[0] == 0);
  const int descriptor = fileno(file);
  assert(pread(descriptor, raw + PAGE - 50, 100, 0) == 100 && raw[PAGE + 49] == 'f');
  struct iovec parts[2] = {{spread, 10}, {spread + 3 * PAGE, 10}};
  assert(preadv(descriptor, parts, 2, 0) == 20 && spread[3 * PAGE + 9] == 'f');
  assert(fstat(descriptor, (struct stat*)stat_page) == 0 && ((struct stat*)stat_page)->st_size == 6000);
  assert(getcwd(directory + PAGE, PAGE) != NULL && directory[PAGE] == '/');
  assert(fgets(line, sizeof line, file) != NULL && line[98] == 'f');  // into stdio's own buffer first
  point();
  return unused;
}

static void* look_on(void* unused) {
  point();
  return unused;
}

int main(void) {
  file = tmpfile();
  assert(file != NULL);
  char* text = malloc(6000);
  memset(text, 'f', 6000);
  assert(fwrite(text, 1, 6000, file) == 6000);
  rewind(file);
  run_two(read_all, look_on);
  return 0;
}
