// Starts a thread behind whoever has a pthread_create() of his own, as jemalloc does.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>

int start_thread(pthread_t* thread, void* (*run)(void*)) {
  int (*create)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*) = NULL;
  *(void**)&create = dlsym(RTLD_NEXT, "pthread_create");
  return create(thread, NULL, run, NULL);
}
