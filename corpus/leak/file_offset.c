// The position in a file that was opened before the threads: each execution reads the first record.
// heddle: run
// expect: clean complete
#define _GNU_SOURCE
#include <assert.h>
#include <stdlib.h>
#include <unistd.h>

#include "leak/look_on.h"

static int file;

static void* read_record(void* unused) {
  char record = 0;
  assert(read(file, &record, 1) == 1 && record == '1');
  point();
  assert(read(file, &record, 1) == 1 && record == '2');
  return unused;
}

int main(void) {
  char name[] = "/tmp/heddle_corpus_XXXXXX";
  file = mkstemp(name);
  assert(file >= 0 && unlink(name) == 0);
  assert(write(file, "123", 3) == 3 && lseek(file, 0, SEEK_SET) == 0);
  run_beside(read_record);
  return 0;
}
