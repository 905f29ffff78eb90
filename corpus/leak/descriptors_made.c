// Pipes, counters, timers, sockets and epoll sets that an execution makes, and leaves open: the next one finds the same
// numbers free, and nothing in them.
// heddle: run --max-preemptions=2
// expect: clean bound 2
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "leak/look_on.h"

enum { NUMBERS = 8, MOVED = 200 };
static int next[NUMBERS];  // the lowest that are free

static void make_pipe(void) {
  int ends[2];
  char byte = 0;
  assert(pipe2(ends, O_NONBLOCK) == 0 && ends[0] == next[0] && ends[1] == next[1]);
  assert(read(ends[0], &byte, 1) == -1 && errno == EAGAIN);
  assert(write(ends[1], "p", 1) == 1);
  point();
  assert(dup2(ends[1], MOVED) == MOVED && close(ends[1]) == 0 && dup(ends[0]) == next[1]);
}

static void make_pair(void) {
  int ends[2];
  char byte = 0;
  assert(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0 && ends[0] == next[2] && ends[1] == next[3]);
  assert(send(ends[0], "s", 1, 0) == 1 && recv(ends[1], &byte, 1, 0) == 1 && byte == 's');
  point();
  assert(shutdown(ends[0], SHUT_WR) == 0 && recv(ends[1], &byte, 1, 0) == 0);
}

static void make_loop(void) {
  uint64_t count = 0;
  sigset_t none;
  sigemptyset(&none);
  const struct itimerspec soon = {.it_value = {.tv_nsec = 1000}};
  const int counter = eventfd(2, EFD_SEMAPHORE), timer = timerfd_create(CLOCK_MONOTONIC, 0), set = epoll_create1(0);
  assert(counter == next[4] && timer == next[5] && set == next[6]);
  assert(signalfd(-1, &none, SFD_NONBLOCK) == next[7]);
  struct epoll_event event = {.events = EPOLLIN};
  assert(epoll_ctl(set, EPOLL_CTL_ADD, timer, &event) == 0 && timerfd_settime(timer, 0, &soon, NULL) == 0);
  assert(epoll_wait(set, &event, 1, -1) == 1 && read(timer, &count, sizeof count) == sizeof count && count == 1);
  assert(read(counter, &count, sizeof count) == sizeof count && count == 1);
  point();
}

static void* make(void* unused) {
  make_pipe();
  make_pair();
  make_loop();
  return unused;
}

int main(void) {
  for (int i = 0; i < NUMBERS; ++i) next[i] = dup(0);
  for (int i = 0; i < NUMBERS; ++i) assert(close(next[i]) == 0);
  run_beside(make);
  return 0;
}
