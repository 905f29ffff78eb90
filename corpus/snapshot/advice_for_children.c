// Memory that no child is to have, or that each is to find as zero. Heddle's own copies of the program are no children.
// heddle: run --max-preemptions=2
// expect: clean bound 2
#define _GNU_SOURCE
#include <assert.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "snapshot/two_threads.h"

enum { kPage = 4096 };
static char *wiped, *kept_back;

static void* look(void* unused) {
  assert(wiped[0] == 6 && kept_back[0] == 7);
  char* own = mmap(NULL, 2 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  own[0] = 8;
  assert(madvise(own, kPage, MADV_WIPEONFORK) == 0);
  assert(syscall(SYS_madvise, own + kPage, kPage, MADV_DONTFORK) == 0);
  point();
  assert(own[0] == 8 && own[kPage] == 0);
  assert(munmap(own, 2 * kPage) == 0);
  return unused;
}

int main(void) {
  wiped = mmap(NULL, kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  kept_back = mmap(NULL, kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  wiped[0] = 6;
  kept_back[0] = 7;
  assert(madvise(wiped, kPage, MADV_WIPEONFORK) == 0 && madvise(kept_back, kPage, MADV_DONTFORK) == 0);
  run_two(look, look);
  return 0;
}
