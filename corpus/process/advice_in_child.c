// A child of the program finds memory as its parent has advised, in part before the threads: as zero, not at all, or,
// when that was taken back or was said of memory that is gone, as it was.
// heddle: run --max-preemptions=1
// expect: clean bound 1
// isolation: fork
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "snapshot/two_threads.h"

enum { kPage = 4096, kPages = 6 };
static char* memory;

static int is_mapped(char* page) {
  unsigned char present;
  return mincore(page, kPage, &present) == 0 || errno != ENOMEM;
}

static void* fork_one(void* unused) {
  assert(madvise(memory + 2 * kPage, 2 * kPage, MADV_DONTFORK) == 0);
  assert(madvise(memory + 3 * kPage, kPage, MADV_DOFORK) == 0);
  assert(madvise(memory + 4 * kPage, kPage, MADV_WIPEONFORK) == 0);
  assert(munmap(memory + 4 * kPage, kPage) == 0);
  assert(mmap(memory + 4 * kPage, kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) !=
         MAP_FAILED);
  memory[4 * kPage] = 5;
  const pid_t child = fork();
  if (child == 0)
    _exit(memory[0] == 0 && memory[kPage] == 2 && !is_mapped(memory + 2 * kPage) && memory[3 * kPage] == 4 &&
                  memory[4 * kPage] == 5 && memory[5 * kPage] == 6
              ? 0
              : 1);
  int status = 1;
  assert(waitpid(child, &status, 0) == child && status == 0);
  for (int page = 0; page < kPages; ++page) assert(memory[page * kPage] == page + 1);
  return unused;
}

static void* look_on(void* unused) {
  point();
  return unused;
}

int main(void) {
  memory = mmap(NULL, kPages * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  for (int page = 0; page < kPages; ++page) memory[page * kPage] = page + 1;
  assert(madvise(memory, 2 * kPage, MADV_WIPEONFORK) == 0);
  assert(madvise(memory + kPage, kPage, MADV_KEEPONFORK) == 0);
  run_two(fork_one, look_on);
  return 0;
}
