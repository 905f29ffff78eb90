// Handlers of exit() run before destructors of the program, these in the order of their priorities, the least one last.
// heddle: run
// expect: clean complete
// twin: wrong_in_destructor.c
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int stage = 0;

static void* work(void* unused) {
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  return unused;
}

static void reach(int wanted) {
  pthread_mutex_lock(&mutex);
  if (stage != wanted - 1) abort();
  stage = wanted;
  pthread_mutex_unlock(&mutex);
}

static void handler(void) { reach(1); }
__attribute__((destructor)) static void first(void) { reach(2); }
__attribute__((destructor(102))) static void second(void) { reach(3); }
__attribute__((destructor(101))) static void third(void) {
  reach(4);
  pthread_mutex_destroy(&mutex);
}

int main(void) {
  pthread_t thread;
  atexit(handler);
  pthread_create(&thread, NULL, work, NULL);
  pthread_join(thread, NULL);
  return 0;
}
