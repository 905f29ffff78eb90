// A thread closes a descriptor twice. In between another one opens an eventfd, which gets the number that has become
// free: the second close() hits that, and who reads from it later gets EBADF. One preemption, between the two.
//
// heddle: run
// expect: bug assertion at bound 1
// says: nobody_has_closed_it
// twin: closed_twice_fixed.c
#include <assert.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <unistd.h>

static int first, second;

static void* make(void* argument) {
  first = eventfd(0, 0);
  return argument;
}

static void* close_first(void* argument) {
  close(first);
#ifndef ONCE
  close(first);
#endif
  return argument;
}

static void* make_second(void* argument) {
  second = eventfd(1, 0);
  return argument;
}

int main(void) {
  pthread_t closer, opener;
  eventfd_t count;
  pthread_create(&closer, NULL, make, NULL);
  pthread_join(closer, NULL);
  pthread_create(&closer, NULL, close_first, NULL);
  pthread_create(&opener, NULL, make_second, NULL);
  pthread_join(closer, NULL);
  pthread_join(opener, NULL);
  const int nobody_has_closed_it = eventfd_read(second, &count) == 0;
  assert(nobody_has_closed_it);
}
