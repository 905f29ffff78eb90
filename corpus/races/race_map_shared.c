// Both threads write to one mapping, which was made by one of them.
// heddle: run
// expect: bug data race at bound 0
// twin: races/race_map_again.c
// build: heddle-cc
#include <sys/mman.h>

#include "races/two_threads.h"

static char* memory;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void make(void) { memory = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); }

static void use(char value) {
  pthread_once(&once, make);
  memory[512] = value;
}

static void first(void) { use(1); }
static void second(void) { use(2); }
static void last(void) { munmap(memory, 8192); }
