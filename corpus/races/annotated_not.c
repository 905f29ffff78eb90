// Nothing is said: all three accesses race.
// heddle: run
// expect: bug data race
// says: passed
// says: shared
// says: looked_at
// twin: races/annotated.c
// build: heddle-cc
#include "races/annotated.h"

static void say_given(void) {}
static void say_taken(void) {}
static void say_locked(void) {}
static void say_unlocked(void) {}
static int look(void) { return looked_at; }
