// That a race is meant is usually said before there are threads.
// heddle: run
// expect: clean complete
// twin: races/race_counter.c
// build: heddle-cc clang
#include <stddef.h>

#include "races/two_threads.h"

extern void AnnotateBenignRaceSized(const char* file, int line, const volatile void* address, size_t size,
                                    const char* why);

static int value;
__attribute__((constructor)) static void say(void) {
  AnnotateBenignRaceSized(__FILE__, __LINE__, &value, sizeof value, "it is meant");
}

static void first(void) { value = 1; }
static void second(void) { value = 2; }
static void last(void) {}
