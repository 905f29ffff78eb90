// What the count was is read under the lock, which is given back before the count is raised.
// heddle: run
// expect: bug assertion at bound 1
// twin: own_credentials_fixed.c
#define ADD_SERVER()            \
  pthread_mutex_lock(&mutex);   \
  const int before = servers;   \
  pthread_mutex_unlock(&mutex); \
  pthread_mutex_lock(&mutex);   \
  servers = before + 1;         \
  pthread_mutex_unlock(&mutex)
#include "snapshot/own_credentials.h"
