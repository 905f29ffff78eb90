// Two threads put an item each into a buffer whose room is chosen: who looks first and puts later puts too much. With
// room for two, all is well.
// heddle: run
// expect: bug assertion at bound 1
// twin: chosen_room_checked.c
#include "program/chosen_room.h"

static void put(void) {
  pthread_mutex_lock(&lock);
  const bool fits = used < room;
  pthread_mutex_unlock(&lock);
  pthread_mutex_lock(&lock);
  if (fits) ++used;
  pthread_mutex_unlock(&lock);
}
