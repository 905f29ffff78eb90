// Before the first thread the objects are used as they may be; what returns an error returns it.
// heddle: run
// expect: clean complete
// twin: unlock_before_threads.c
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t settings = PTHREAD_MUTEX_INITIALIZER;

static void* work(void* unused) { return unused; }

int main(void) {
  pthread_t thread;
  pthread_mutexattr_t attributes;
  pthread_mutex_t checked;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
  pthread_mutex_init(&checked, &attributes);
  assert(pthread_mutex_unlock(&checked) == EPERM);
  pthread_mutex_lock(&settings);
  pthread_mutex_unlock(&settings);
  pthread_create(&thread, NULL, work, NULL);
  return pthread_join(thread, NULL);
}
