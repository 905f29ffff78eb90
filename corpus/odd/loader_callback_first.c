// The loader runs the callbacks under its lock, and each takes a mutex: the lock is waited for in every other schedule,
// and what is recorded meanwhile must not need it.
// heddle: run
// expect: clean bound 2
// twin: loader_callback.c
#define _GNU_SOURCE
#include <assert.h>
#include <link.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int called;

static int with_mutex(struct dl_phdr_info* info, size_t size, void* unused) {
  (void)info, (void)size, (void)unused;
  pthread_mutex_lock(&mutex);
  ++called;
  pthread_mutex_unlock(&mutex);
  return 1;
}

static void* iterate(void* unused) {
  dl_iterate_phdr(with_mutex, NULL);
  return unused;
}

int main(void) {
  pthread_t one, other;
  pthread_create(&one, NULL, iterate, NULL);
  pthread_create(&other, NULL, iterate, NULL);
  pthread_join(one, NULL);
  pthread_join(other, NULL);
  assert(called == 2);
  return 0;
}
