// The main thread returns while others run: the process ends with work undone, which the exit status tells.
// heddle: run
// expect: bug exit at bound 0
// says: 3
// twin: main_exits_first.c
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int finished;

static void* work(void* unused) {
  pthread_mutex_lock(&mutex);
  ++finished;
  pthread_mutex_unlock(&mutex);
  return unused;
}

static void check(void) {
  if (finished != 2) _exit(3);
}

int main(void) {
  pthread_t thread;
  atexit(check);
  for (int i = 0; i < 2; ++i) {
    pthread_create(&thread, NULL, work, NULL);
    pthread_detach(thread);
  }
  return 0;
}
