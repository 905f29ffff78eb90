// A library whose constructor takes a lock of the program's, which it is told of by the environment.
#include <pthread.h>
#include <stdlib.h>

__attribute__((constructor)) static void enter(void) {
  pthread_mutex_t* registry = (pthread_mutex_t*)strtoul(getenv("REGISTRY"), NULL, 16);
  pthread_mutex_lock(registry);
  pthread_mutex_unlock(registry);
}
