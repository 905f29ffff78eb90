// Two threads that both take the lock of a stream before a mutex: no deadlock, though one holds the stream at a point.
// heddle: run --max-preemptions=1
// expect: clean bound 1
// twin: stream_lock.c
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
  fflush(stderr);
  pthread_mutex_lock(&mutex);
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
