// Each thread that is joined was started, and calls that take a pthread_t get that of a thread, which may have ended.
// heddle: run
// expect: clean complete
// twin: join_no_thread.c
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static void* work(void* unused) { return unused; }

int main(void) {
  pthread_t thread;
  pthread_attr_t attributes;
  char name[16];
  pthread_create(&thread, NULL, work, NULL);
  assert(pthread_setname_np(pthread_self(), "worker") == 0);
  assert(pthread_getname_np(pthread_self(), name, sizeof name) == 0);
  assert(pthread_getattr_np(pthread_self(), &attributes) == 0);
  pthread_attr_destroy(&attributes);
  assert(pthread_cancel(thread) == 0);
  return pthread_join(thread, NULL);
}
