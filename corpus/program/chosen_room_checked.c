// The twin of chosen_room.c: looks and puts under one lock.
// heddle: run --reduction=none
// expect: clean complete
// twin: chosen_room.c
#include "program/chosen_room.h"

static void put(void) {
  pthread_mutex_lock(&lock);
  if (used < room) ++used;
  pthread_mutex_unlock(&lock);
}
