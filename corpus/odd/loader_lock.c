// A thread loads a library, whose constructor runs under the loader's lock and takes the program's; another holds the
// program's lock and asks the loader for something.
// heddle: run
// expect: bug deadlock at bound 1
// twin: loader_lock_fixed.c
// module: odd/library/takes_lock.c
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t registry = PTHREAD_MUTEX_INITIALIZER;

static void* load(void* unused) {
  void* library = dlopen(MODULES "takes_lock.so", RTLD_NOW);
  if (library != NULL) dlclose(library);
  return unused;
}

static void* look(void* unused) {
  pthread_mutex_lock(&registry);
  void* program = dlopen(NULL, RTLD_NOW);
  if (program != NULL) dlclose(program);
  pthread_mutex_unlock(&registry);
  return unused;
}

int main(void) {
  pthread_t threads[2];
  char address[32];
  snprintf(address, sizeof address, "%p", (void*)&registry);
  setenv("REGISTRY", address, 1);
  pthread_create(&threads[0], NULL, load, NULL);
  pthread_create(&threads[1], NULL, look, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  return 0;
}
