// A thread looks a descriptor up under a lock, and copies it with dup() when it has given the lock back. Closing may
// come in between. One preemption, between the unlock and the dup().
//
// heddle: run
// expect: bug assertion at bound 1
// says: there_is_a_copy
// twin: copied_after_unlock_fixed.c
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int ends[2], is_there = 1;

static void* make(void* argument) {
  assert(pipe(ends) == 0);
  return argument;
}

static void copy(int descriptor) {
  const int there_is_a_copy = descriptor < 0 || dup(descriptor) >= 0;
  assert(there_is_a_copy);
}

static void* look_up(void* argument) {
  pthread_mutex_lock(&lock);
  const int descriptor = is_there ? ends[0] : -1;
#ifdef LOCKED
  copy(descriptor);
#endif
  pthread_mutex_unlock(&lock);
#ifndef LOCKED
  copy(descriptor);
#endif
  return argument;
}

static void* take_away(void* argument) {
  pthread_mutex_lock(&lock);
  is_there = 0;
  pthread_mutex_unlock(&lock);
  close(ends[0]);
  return argument;
}

int main(void) {
  pthread_t first, second;
  pthread_create(&first, NULL, make, NULL);
  pthread_join(first, NULL);
  pthread_create(&first, NULL, look_up, NULL);
  pthread_create(&second, NULL, take_away, NULL);
  pthread_join(first, NULL);
  pthread_join(second, NULL);
}
