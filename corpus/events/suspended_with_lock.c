// A thread is suspended by a handler that changes where it goes on, and may have the lock of the heap then. Who has
// suspended it takes that lock next, and waits for ever.
// heddle: run
// expect: bug deadlock at bound 2
// twin: suspended_with_lock_fixed.c
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
  suspend(thread);
  pthread_mutex_lock(&heap);
  blocks += 10;
  sem_post(&go_on);
  pthread_mutex_unlock(&heap);
  sem_post(&end);
  pthread_join(thread, NULL);
  assert(blocks == 11 && times_suspended == 1);
}
