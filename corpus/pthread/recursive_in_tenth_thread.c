// A recursive mutex that is locked twice by a thread with a high number.
// heddle: run --max-preemptions=0
// expect: clean bound 0
#include <pthread.h>

enum { kThreads = 10 };
static pthread_mutex_t recursive;

static void* worker(void* unused) {
  pthread_mutex_lock(&recursive);
  pthread_mutex_lock(&recursive);
  pthread_mutex_unlock(&recursive);
  pthread_mutex_unlock(&recursive);
  return unused;
}

int main(void) {
  pthread_t threads[kThreads];
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&recursive, &attributes);
  for (int i = 0; i < kThreads; ++i) {
    pthread_create(&threads[i], NULL, worker, NULL);
    pthread_join(threads[i], NULL);
  }
  return 0;
}
