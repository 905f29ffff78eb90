// A thread is suspended by a handler that changes where it goes on. Who suspends it has the lock of the heap before
// that, so that the suspended one does not.
// heddle: run
// expect: clean bound 2
// twin: suspended_with_lock.c
#include "suspended_by_handler.h"

static pthread_mutex_t heap = PTHREAD_MUTEX_INITIALIZER;
static int blocks;

static void allocate(void) {
  pthread_mutex_lock(&heap);
  ++blocks;
  pthread_mutex_unlock(&heap);
}

static void* work(void* unused) {
  allocate();
  wait_for(unused);
  return NULL;
}

int main(void) {
  pthread_t thread;
  sem_t end;
  prepare_to_suspend();
  sem_init(&end, 0, 0);
  pthread_create(&thread, NULL, work, &end);
  pthread_mutex_lock(&heap);
  suspend(thread);
  blocks += 10;
  sem_post(&go_on);
  pthread_mutex_unlock(&heap);
  sem_post(&end);
  pthread_join(thread, NULL);
  assert(blocks == 11 && times_suspended == 1);
}
