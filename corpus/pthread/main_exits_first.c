// The main thread ends by pthread_exit; the others go on, and the last one to end gives the exit status 0.
// heddle: run
// expect: clean bound 2
// twin: main_returns_first.c
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int finished;

static void* work(void* unused) {
  pthread_mutex_lock(&mutex);
  ++finished;
  pthread_mutex_unlock(&mutex);
  return unused;
}

int main(void) {
  pthread_t thread;
  for (int i = 0; i < 2; ++i) {
    pthread_create(&thread, NULL, work, NULL);
    pthread_detach(thread);
  }
  pthread_exit(NULL);
}
