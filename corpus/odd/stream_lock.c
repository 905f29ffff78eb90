// Two threads: one locks a stream, then a mutex; the other one flushes it under the mutex, which takes the stream's
// lock.
// heddle: run
// expect: bug deadlock at bound 1
// twin: stream_lock_fixed.c
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void* print_together(void* unused) {
  flockfile(stderr);
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  funlockfile(stderr);
  return unused;
}

static void* print_under_mutex(void* unused) {
  pthread_mutex_lock(&mutex);
  fflush(stderr);
  pthread_mutex_unlock(&mutex);
  return unused;
}

int main(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, print_together, NULL);
  pthread_create(&threads[1], NULL, print_under_mutex, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  return 0;
}
