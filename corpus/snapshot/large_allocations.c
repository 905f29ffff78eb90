// Allocations of all sizes during the test: the contents stay, calloc gives zeros, and what one execution wrote is not
// in the memory that the next one gets from calloc.
// heddle: run --max-preemptions=1
// expect: clean bound 1
#include <assert.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "snapshot/two_threads.h"

static const size_t kSizes[] = {1, 24, 1000, 5000, 200000, 1 << 20, 64 << 20};
enum { SIZES = sizeof kSizes / sizeof kSizes[0] };
static char* kept;

static void* work(void* unused) {
  char* blocks[SIZES];
  for (int i = 0; i < SIZES; ++i) {
    blocks[i] = calloc(kSizes[i], 1);
    assert(blocks[i] != NULL && malloc_usable_size(blocks[i]) >= kSizes[i]);
    assert(blocks[i][0] == 0 && blocks[i][kSizes[i] / 2] == 0 && blocks[i][kSizes[i] - 1] == 0);
    blocks[i][0] = blocks[i][kSizes[i] / 2] = blocks[i][kSizes[i] - 1] = (char)(i + 1);
  }
  point();
  for (int i = 0; i < SIZES; ++i) {
    assert(blocks[i][0] == i + 1 && blocks[i][kSizes[i] - 1] == i + 1);
    blocks[i] = realloc(blocks[i], kSizes[i] + 100);
    assert(blocks[i][0] == i + 1 && blocks[i][kSizes[i] - 1] == i + 1);
  }
  for (int i = 0; i < SIZES; ++i) free(blocks[i]);
  return unused;
}

static void* use_kept(void* unused) {
  assert(kept[0] == 'k' && kept[1 << 20] == 'k');
  kept[1 << 20] = 'x';
  point();
  void* aligned = aligned_alloc(4096, 8192);
  void* other = NULL;
  assert(aligned != NULL && posix_memalign(&other, 1 << 16, 100) == 0);
  assert((uintptr_t)aligned % 4096 == 0 && (uintptr_t)other % (1 << 16) == 0);
  free(aligned);
  free(other);
  free(kept);
  return unused;
}

int main(void) {
  kept = malloc(2 << 20);
  memset(kept, 'k', 2 << 20);
  run_two(work, use_kept);
  return 0;
}
