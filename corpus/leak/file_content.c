// The content of a file that was opened before the threads: each execution finds it as it was written then.
// heddle: run --max-preemptions=2
// expect: clean bound 2
// isolation: exec
#define _GNU_SOURCE
#include <assert.h>
#include <stdlib.h>
#include <unistd.h>

#include "leak/look_on.h"

static int file;

static void* change_record(void* unused) {
  char record = 0;
  assert(pread(file, &record, 1, 0) == 1 && record == '1');
  point();
  assert(pwrite(file, "x", 1, 0) == 1);
  return unused;
}

int main(void) {
  char name[] = "/tmp/heddle_corpus_XXXXXX";
  file = mkstemp(name);
  assert(file >= 0 && unlink(name) == 0);
  assert(write(file, "123", 3) == 3);
  run_beside(change_record);
  return 0;
}
