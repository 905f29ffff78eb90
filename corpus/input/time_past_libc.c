// The kernel's own functions for the time (vdso), called past libc, the system calls themselves, and AT_RANDOM: all
// agree with libc's clocks, and every execution sees the same.
// heddle: run --timeouts=late
// expect: clean complete
#define _GNU_SOURCE
#include <assert.h>
#include <dlfcn.h>
#include <pthread.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

typedef int (*GetTime)(clockid_t, struct timespec*);
static GetTime kernels_function;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static long long ns(struct timespec time) { return time.tv_sec * 1000000000LL + time.tv_nsec; }

static void* look(void* unused) {
  struct timespec by_libc, by_kernel, by_call;
  for (clockid_t clock = CLOCK_REALTIME; clock <= CLOCK_MONOTONIC; ++clock) {
    assert(clock_gettime(clock, &by_libc) == 0);
    assert(kernels_function(clock, &by_kernel) == 0);
    assert(syscall(SYS_clock_gettime, clock, &by_call) == 0);
    assert(ns(by_libc) < ns(by_kernel) && ns(by_kernel) < ns(by_call));
    assert(ns(by_call) - ns(by_libc) < 10000000);
  }
  sleep(1);
  assert(kernels_function(CLOCK_MONOTONIC, &by_kernel) == 0);
  assert(ns(by_kernel) - ns(by_call) >= 1000000000LL);
  // The low bits of the clock, and what the kernel gave at the start, decide the steps.
  unsigned char given[16];
  memcpy(given, (const void*)getauxval(AT_RANDOM), sizeof given);
  for (int i = by_kernel.tv_nsec / 1000 % 4 + given[3] % 4; i > 0; --i) {
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
  }
  return unused;
}

int main(void) {
  void* vdso = dlopen("linux-vdso.so.1", RTLD_NOW | RTLD_NOLOAD);
  kernels_function = vdso != NULL ? (GetTime)dlsym(vdso, "__vdso_clock_gettime") : NULL;
  if (kernels_function == NULL) kernels_function = clock_gettime;
  pthread_t thread;
  pthread_create(&thread, NULL, look, NULL);
  pthread_join(thread, NULL);
  return 0;
}
