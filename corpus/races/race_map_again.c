// Both threads map memory, and unmap it before the other may get the same place: nothing orders them, and nothing
// races.
// heddle: run
// expect: clean complete
// twin: races/race_map_shared.c
// build: heddle-cc
#include <sys/mman.h>

#include "races/two_threads.h"

static int use(void) {
  char* const memory = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  for (int i = 0; i < 8192; i += 512) memory[i] = (char)i;
  const int result = memory[512];
  munmap(memory, 8192);
  return result;
}

static void first(void) { use(); }
static void second(void) { use(); }
static void last(void) { puts("done"); }
