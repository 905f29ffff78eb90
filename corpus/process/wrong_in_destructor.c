// A destructor of the program unlocks a mutex that nobody holds.
// heddle: run
// expect: bug misuse at bound 0
// twin: right_in_destructors.c
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void* work(void* unused) {
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  return unused;
}

__attribute__((destructor)) static void close_log(void) { pthread_mutex_unlock(&mutex); }

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  pthread_join(thread, NULL);
  return 0;
}
