// Loads a library that uses GLib, for itself only: neither it nor GLib is in the global scope.
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

static int (*use)(void);

static void* run(void* unused) {
  use();
  return unused;
}

int main(int count, char** arguments) {
  void* library = count == 2 ? dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL) : NULL;
  if (library == NULL) return fprintf(stderr, "%s\n", dlerror()), 2;
  *(void**)&use = dlsym(library, "use");
  pthread_t thread;
  pthread_create(&thread, NULL, run, NULL);
  use();
  pthread_join(thread, NULL);
  return use() == 3 ? 0 : 1;
}
