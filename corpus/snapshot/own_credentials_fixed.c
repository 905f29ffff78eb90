// The count is raised under the lock.
// heddle: run
// expect: clean complete
// twin: own_credentials.c
#define ADD_SERVER()          \
  pthread_mutex_lock(&mutex); \
  ++servers;                  \
  pthread_mutex_unlock(&mutex)
#include "snapshot/own_credentials.h"
