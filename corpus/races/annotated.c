// What orders the accesses is said: a hand-over, a lock of the program's own, and a read that is not to be looked at.
// heddle: run
// expect: clean bound 2
// twin: races/annotated_not.c
// build: heddle-cc
#include "races/annotated.h"

static void say_given(void) { AnnotateHappensBefore(__FILE__, __LINE__, &given); }
static void say_taken(void) { AnnotateHappensAfter(__FILE__, __LINE__, &given); }
static void say_locked(void) { AnnotateRWLockAcquired(__FILE__, __LINE__, &lock, 1); }
static void say_unlocked(void) { AnnotateRWLockReleased(__FILE__, __LINE__, &lock, 1); }

static int look(void) {
  AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
  const int seen = *(int*)&looked_at;
  AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
  return seen;
}
