// An epoll set that was made before the threads, with counters of which some have something to tell: in each execution
// it tells of them in the same order, as in a process of its own, whatever the one before has left to be told.
// heddle: run --max-preemptions=2
// expect: clean bound 2
#include <assert.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "leak/look_on.h"

enum { COUNTERS = 5 };
static int set, second, counters[COUNTERS];

static void add_to(int epoll_set, int counter, uint32_t events) {
  struct epoll_event event = {.events = events, .data.u32 = (uint32_t)counter};
  assert(epoll_ctl(epoll_set, EPOLL_CTL_ADD, counters[counter], &event) == 0);
}

static void count_up(int counter) {
  const uint64_t one = 1;
  assert(write(counters[counter], &one, sizeof one) == sizeof one);
}

static void expect(int epoll_set, int count, const int* wanted) {
  struct epoll_event events[COUNTERS];
  assert(epoll_wait(epoll_set, events, COUNTERS, 0) == count);
  for (int i = 0; i < count; ++i) assert((int)events[i].data.u32 == wanted[i]);
}

static void* use(void* unused) {
  expect(set, 3, (int[]){3, 0, 2});  // 0 and 3 stay ready; 1 was told of before
  expect(set, 2, (int[]){3, 0});     // 2 is told of once
  point();
  uint64_t value = 0;
  assert(read(counters[3], &value, sizeof value) == sizeof value && value == 7);
  count_up(1);
  expect(set, 2, (int[]){0, 1});
  point();
  expect(second, 1, (int[]){4});
  count_up(3);
  assert(epoll_ctl(set, EPOLL_CTL_DEL, counters[0], NULL) == 0);
  count_up(2);
  count_up(1);
  assert(close(counters[4]) == 0 && close(second) == 0);
  const int again = dup(set);
  assert(again == counters[4] || again == second);
  return unused;
}

int main(void) {
  assert((set = epoll_create1(EPOLL_CLOEXEC)) >= 0 && (second = epoll_create1(0)) >= 0);
  for (int i = 0; i < COUNTERS; ++i) assert((counters[i] = eventfd(i == 4 ? 9 : 0, EFD_NONBLOCK)) >= 0);
  add_to(set, 0, EPOLLIN);
  add_to(set, 1, EPOLLIN | EPOLLET);
  add_to(set, 2, EPOLLIN | EPOLLET);
  add_to(set, 3, EPOLLIN);
  add_to(second, 4, EPOLLIN | EPOLLONESHOT);
  count_up(1);
  expect(set, 1, (int[]){1});
  for (int i = 0; i < 7; ++i) count_up(3);
  count_up(0);
  count_up(2);
  run_beside(use);
  return 0;
}
