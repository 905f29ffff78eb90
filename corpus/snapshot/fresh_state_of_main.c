// What belongs to main's thread is the same at the start of every execution: errno, the values of its keys, its thread
// storage, its stack.
// heddle: run
// expect: clean complete
#include <assert.h>
#include <errno.h>

#include "snapshot/two_threads.h"

static pthread_key_t key, late_key;
static _Thread_local int in_tls = 1;
static int late_key_made;

static void* look_on(void* unused) {
  point();
  return unused;
}

int main(void) {
  int on_stack = 1, value = 1, other_value = 2;
  volatile int* volatile stack_pointer = &on_stack;
  pthread_key_create(&key, NULL);
  pthread_setspecific(key, &value);
  errno = EDOM;
  pthread_t thread;
  const int created = pthread_create(&thread, NULL, look_on, NULL);
  assert(created == 0 && errno == EDOM);
  assert(*stack_pointer == 1 && in_tls == 1 && !late_key_made);
  assert(pthread_getspecific(key) == &value);
  *stack_pointer = in_tls = 2;
  errno = ERANGE;
  pthread_setspecific(key, &other_value);
  assert(pthread_key_create(&late_key, NULL) == 0);
  late_key_made = 1;
  assert(pthread_getspecific(late_key) == NULL);
  pthread_setspecific(late_key, &other_value);
  point();
  pthread_join(thread, NULL);
  assert(*stack_pointer == 2 && in_tls == 2);
  return 0;
}
