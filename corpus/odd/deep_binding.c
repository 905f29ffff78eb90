// A library that is loaded with RTLD_DEEPBIND finds libc's functions before Heddle's: its locks are no steps, and no
// schedule loses an addition. That is said. (Without Heddle one is lost now and then, which is no failure here.)
// heddle: run
// expect: clean complete
// module: odd/library/deep_counter.c
// says: dlopen at deep_binding.c:24
// says: docs/API.md#dlopen
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>

static int (*add)(int);

static void* worker(void* unused) {
  add(1);
  return unused;
}

int main(void) {
  pthread_t threads[2];

  // Also without the first thread.
  void* library = dlopen(MODULES "deep_counter.so", RTLD_NOW | RTLD_DEEPBIND);
  if (library == NULL) return 1;
  add = (int (*)(int))dlsym(library, "add");
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, worker, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  const int total = add(1);
  return total == 3 || total == 2 ? 0 : 1;
}
