// The malloc family as the manual has it, in several threads and across fork(): alignment, errors, contents, errno.
// heddle: run
// expect: clean complete
// isolation: auto fork
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile size_t huge = SIZE_MAX / 2;

static int aligned(void* memory, size_t alignment) { return memory != NULL && (uintptr_t)memory % alignment == 0; }

static void check_aligned(void) {
  void* blocks[5];
  assert(posix_memalign(&blocks[0], 64, 100) == 0 && aligned(blocks[0], 64));
  blocks[1] = aligned_alloc(256, 512);
  blocks[2] = memalign(4096, 10);
  blocks[3] = valloc(1);
  blocks[4] = pvalloc(1);
  assert(aligned(blocks[1], 256) && aligned(blocks[2], 4096) && aligned(blocks[3], 4096) && aligned(blocks[4], 4096));
  assert(malloc_usable_size(blocks[4]) >= 4096);
  for (int i = 0; i < 5; ++i) free(blocks[i]);
  void* untouched = &untouched;
  assert(posix_memalign(&untouched, 3, 8) == EINVAL && untouched == &untouched);
  assert(posix_memalign(&untouched, 64, huge) == ENOMEM && untouched == &untouched);
}

static void check_errors(void) {
  errno = 0;
  assert(malloc(huge) == NULL && errno == ENOMEM);
  errno = 0;
  assert(calloc(huge, 4) == NULL && errno == ENOMEM);
  char* kept = malloc(10);
  strcpy(kept, "kept");
  errno = 0;
  assert(realloc(kept, huge) == NULL && errno == ENOMEM);
  assert(reallocarray(kept, huge, 3) == NULL && strcmp(kept, "kept") == 0);
  errno = 7;
  free(kept);
  free(NULL);
  assert(errno == 7 && malloc_usable_size(NULL) == 0);
}

static void check_contents(void) {
  char* grown = realloc(NULL, 5);
  strcpy(grown, "four");
  for (size_t bytes = 10; bytes < 3000000; bytes *= 3) {
    grown = realloc(grown, bytes);
    assert(strcmp(grown, "four") == 0 && malloc_usable_size(grown) >= bytes);
    memset(grown + 5, 1, bytes - 5);
    free(malloc(bytes));
  }
  free(grown);
  char* zeroed = calloc(1000, 1000);
  for (size_t i = 0; i < 1000000; i += 99) assert(zeroed[i] == 0);
  free(zeroed);
  void* none = malloc(0);
  assert(none != NULL && mallinfo2().uordblks > 0);
  assert(realloc(none, 0) == NULL);
}

static void* work(void* unused) {
  check_aligned();
  check_errors();
  check_contents();
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  const pid_t child = fork();
  work(NULL);
  if (child == 0) _exit(0);
  int status = 1;
  assert(waitpid(child, &status, 0) == child && status == 0);
  pthread_join(thread, NULL);
  return 0;
}
