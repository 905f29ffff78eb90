// poll, select and epoll: what is ready, what is not, timeouts, waits that another thread ends.
#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>

#include "check.h"

namespace {

int ends[2];

void fill() {
  if (write(ends[1], "x", 1) != 1) abort();
}

void drain() {
  char byte;
  if (read(ends[0], &byte, 1) != 1) abort();
}

template <class Wait>
int woken(Wait wait) {
  Thread waiter(wait);
  sched_yield();
  fill();
  const int result = waiter.result();
  drain();
  return result;
}

void check_poll() {
  pollfd waits[2] = {{ends[0], POLLIN, 0}, {ends[1], POLLOUT, 0}};
  VALUE_OF("poll", "an empty pipe, no time", 0, poll(waits, 1, 0));
  VALUE_OF("poll", "an empty pipe, until the time is over", 0, poll(waits, 1, 5));
  VALUE_OF("poll", "the writing end of an empty pipe", 1, poll(waits + 1, 1, -1));
  VALUE_OF("poll", "both ends of an empty pipe", 1, poll(waits, 2, -1));
  VALUE_OF("poll", "what the writing end is ready for", POLLOUT, waits[1].revents);
  fill();
  VALUE_OF("poll", "a byte in the pipe", 2, poll(waits, 2, -1));
  VALUE_OF("poll", "what the reading end is ready for", POLLIN, waits[0].revents);
  drain();
  VALUE_OF("poll", "waits until another thread writes", 1, woken([] {
             pollfd wait = {ends[0], POLLIN, 0};
             return poll(&wait, 1, -1);
           }));
  VALUE_OF("poll", "with a time, waits until another thread writes", 1, woken([] {
             pollfd wait = {ends[0], POLLIN, 0};
             return poll(&wait, 1, 60000);
           }));
  pollfd closed = {999, POLLIN, 0};
  VALUE_OF("poll", "a number that is no descriptor", 1, poll(&closed, 1, 0));
  VALUE_OF("poll", "what it says of that", POLLNVAL, closed.revents);
  closed.fd = -1;
  VALUE_OF("poll", "a negative number is left out", 0, poll(&closed, 1, 0));
  VALUE_OF("poll", "nothing but time", 0, poll(nullptr, 0, 2));
  ERRNO_OF("poll", "a wild pointer", EFAULT, poll(static_cast<pollfd*>(kWild), 1, 0));
  const timespec moment = {0, 2000000};
  VALUE_OF("ppoll", "an empty pipe, until the time is over", 0, ppoll(waits, 1, &moment, nullptr));
  ERRNO_OF("ppoll", "a billion nanoseconds", EINVAL, ppoll(waits, 1, &kTooManyNanoseconds, nullptr));
  VALUE_OF("ppoll", "waits until another thread writes", 1, woken([] {
             pollfd wait = {ends[0], POLLIN, 0};
             return ppoll(&wait, 1, nullptr, nullptr);
           }));
  int other[2];
  if (pipe(other) != 0) abort();
  close(other[1]);
  pollfd hung = {other[0], POLLIN, 0};
  VALUE_OF("poll", "a pipe whose writing end is closed", 1, poll(&hung, 1, -1));
  VALUE_OF("poll", "what it says of the closed end", POLLHUP, hung.revents & (POLLHUP | POLLERR));
  close(other[0]);
}

void check_select() {
  fd_set set;
  timeval none = {0, 0}, moment = {0, 2000}, negative = {-1, 0};
  const auto fresh = [&] {
    FD_ZERO(&set);
    FD_SET(ends[0], &set);
    return &set;
  };
  VALUE_OF("select", "an empty pipe, no time", 0, select(ends[0] + 1, fresh(), nullptr, nullptr, &none));
  VALUE_OF("select", "an empty pipe, until the time is over", 0,
           select(ends[0] + 1, fresh(), nullptr, nullptr, &moment));
  HOLDS("select", "an empty pipe is taken from the set", !FD_ISSET(ends[0], &set));
  ERRNO_OF("select", "a negative time", EINVAL, select(ends[0] + 1, fresh(), nullptr, nullptr, &negative));
  ERRNO_OF("select", "a negative number of descriptors", EINVAL, select(-1, fresh(), nullptr, nullptr, &none));
  fill();
  VALUE_OF("select", "a byte in the pipe", 1, select(ends[0] + 1, fresh(), nullptr, nullptr, nullptr));
  HOLDS("select", "the pipe stays in the set", FD_ISSET(ends[0], &set));
  drain();
  VALUE_OF("select", "waits until another thread writes", 1, woken([] {
             fd_set own;
             FD_ZERO(&own);
             FD_SET(ends[0], &own);
             return select(ends[0] + 1, &own, nullptr, nullptr, nullptr);
           }));
  FD_ZERO(&set);
  FD_SET(ends[1], &set);
  VALUE_OF("select", "the writing end of an empty pipe", 1, select(ends[1] + 1, nullptr, &set, nullptr, nullptr));
  FD_ZERO(&set);
  const int closed = dup(ends[0]);
  close(closed);
  FD_SET(closed, &set);
  ERRNO_OF("select", "a closed descriptor", EBADF, select(closed + 1, &set, nullptr, nullptr, &none));
  const timespec short_time = {0, 2000000};
  VALUE_OF("pselect", "an empty pipe, until the time is over", 0,
           pselect(ends[0] + 1, fresh(), nullptr, nullptr, &short_time, nullptr));
  ERRNO_OF("pselect", "a billion nanoseconds", EINVAL,
           pselect(ends[0] + 1, fresh(), nullptr, nullptr, &kTooManyNanoseconds, nullptr));
  VALUE_OF("pselect", "waits until another thread writes", 1, woken([] {
             fd_set own;
             FD_ZERO(&own);
             FD_SET(ends[0], &own);
             return pselect(ends[0] + 1, &own, nullptr, nullptr, nullptr, nullptr);
           }));
  VALUE_OF("select", "nothing but time", 0, select(0, nullptr, nullptr, nullptr, &moment));
}

void check_epoll_until(int set, epoll_event* seen) {
  static int queue;
  queue = set;
  VALUE_OF("epoll_pwait2", "waits until another thread writes", 1, woken([] {
             epoll_event own;
             return epoll_pwait2(queue, &own, 1, nullptr, nullptr);
           }));
  const timespec moment = {0, 2000000};
  VALUE_OF("epoll_pwait2", "an empty pipe, until the time is over", 0, epoll_pwait2(queue, seen, 4, &moment, nullptr));
  ERRNO_OF("epoll_pwait2", "room for no event", EINVAL, epoll_pwait2(queue, seen, 0, &moment, nullptr));
}

void check_epoll() {
  static int queue = epoll_create1(0);
  epoll_event event = {}, seen[4] = {};
  event.events = EPOLLIN;
  event.data.u32 = 7;
  HOLDS("epoll_create1", "new", queue >= 0);
  ERRNO_OF("epoll_create1", "flags that are none", EINVAL, epoll_create1(77));
  ERRNO_OF("epoll_create", "size 0", EINVAL, epoll_create(0));
  VALUE_OF("epoll_wait", "nothing in the set, no time", 0, epoll_wait(queue, seen, 4, 0));
  ERRNO_OF("epoll_ctl", "add", 0, epoll_ctl(queue, EPOLL_CTL_ADD, ends[0], &event));
  ERRNO_OF("epoll_ctl", "add what is there", EEXIST, epoll_ctl(queue, EPOLL_CTL_ADD, ends[0], &event));
  ERRNO_OF("epoll_ctl", "add itself", EINVAL, epoll_ctl(queue, EPOLL_CTL_ADD, queue, &event));
  ERRNO_OF("epoll_ctl", "add no descriptor", EBADF, epoll_ctl(queue, EPOLL_CTL_ADD, 999, &event));
  ERRNO_OF("epoll_ctl", "change what is not there", ENOENT, epoll_ctl(queue, EPOLL_CTL_MOD, ends[1], &event));
  ERRNO_OF("epoll_ctl", "remove what is not there", ENOENT, epoll_ctl(queue, EPOLL_CTL_DEL, ends[1], nullptr));
  VALUE_OF("epoll_wait", "an empty pipe, until the time is over", 0, epoll_wait(queue, seen, 4, 5));
  ERRNO_OF("epoll_wait", "room for no event", EINVAL, epoll_wait(queue, seen, 0, 0));
  ERRNO_OF("epoll_wait", "no set", EINVAL, epoll_wait(ends[0], seen, 4, 0));
  ERRNO_OF("epoll_wait", "no descriptor", EBADF, epoll_wait(-1, seen, 4, 0));
  fill();
  VALUE_OF("epoll_wait", "a byte in the pipe", 1, epoll_wait(queue, seen, 4, -1));
  VALUE_OF("epoll_wait", "what the pipe is ready for", EPOLLIN, seen[0].events);
  VALUE_OF("epoll_wait", "the data that was given", 7, seen[0].data.u32);
  VALUE_OF("epoll_wait", "a byte in the pipe, once more", 1, epoll_wait(queue, seen, 4, -1));
  event.events = EPOLLIN | EPOLLET;
  ERRNO_OF("epoll_ctl", "change to edges", 0, epoll_ctl(queue, EPOLL_CTL_MOD, ends[0], &event));
  VALUE_OF("epoll_wait", "edges, the byte that is there", 1, epoll_wait(queue, seen, 4, 0));
  VALUE_OF("epoll_wait", "edges, nothing new", 0, epoll_wait(queue, seen, 4, 0));
  fill();
  VALUE_OF("epoll_wait", "edges, another byte", 1, epoll_wait(queue, seen, 4, 0));
  drain(), drain();
  event.events = EPOLLIN | EPOLLONESHOT;
  epoll_ctl(queue, EPOLL_CTL_MOD, ends[0], &event);
  fill();
  VALUE_OF("epoll_wait", "one shot, a byte", 1, epoll_wait(queue, seen, 4, 0));
  VALUE_OF("epoll_wait", "one shot, used up", 0, epoll_wait(queue, seen, 4, 0));
  drain();
  event.events = EPOLLIN;
  epoll_ctl(queue, EPOLL_CTL_MOD, ends[0], &event);
  VALUE_OF("epoll_wait", "waits until another thread writes", 1, woken([] {
             epoll_event own;
             return epoll_wait(queue, &own, 1, -1);
           }));
  VALUE_OF("epoll_pwait", "waits until another thread writes", 1, woken([] {
             epoll_event own;
             return epoll_pwait(queue, &own, 1, 60000, nullptr);
           }));
  VALUE_OF("epoll_pwait", "an empty pipe, until the time is over", 0, epoll_pwait(queue, seen, 4, 2, nullptr));
  ERRNO_OF("epoll_pwait", "room for no event", EINVAL, epoll_pwait(queue, seen, 0, 0, nullptr));
  check_epoll_until(queue, seen);
  Thread waiter([] {
    epoll_event own;
    return epoll_wait(queue, &own, 1, -1);
  });
  sched_yield();
  event.events = EPOLLOUT;
  ERRNO_OF("epoll_ctl", "add what is ready, a thread waits", 0, epoll_ctl(queue, EPOLL_CTL_ADD, ends[1], &event));
  VALUE_OF("epoll_wait", "waits until another thread adds what is ready", 1, waiter.result());
  ERRNO_OF("epoll_ctl", "remove", 0, epoll_ctl(queue, EPOLL_CTL_DEL, ends[1], nullptr));
  VALUE_OF("epoll_wait", "after it was removed", 0, epoll_wait(queue, seen, 4, 0));
  pollfd nested = {queue, POLLIN, 0};
  VALUE_OF("poll", "an epoll set with nothing ready", 0, poll(&nested, 1, 0));
  fill();
  VALUE_OF("poll", "an epoll set with something ready", 1, poll(&nested, 1, -1));
  drain();
  close(queue);
}

void check_sockets() {
  int pair[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0) abort();
  pollfd waits[2] = {{pair[0], POLLIN | POLLOUT, 0}, {pair[1], POLLIN, 0}};
  VALUE_OF("poll", "a pair of sockets, nothing sent", 1, poll(waits, 2, 0));
  VALUE_OF("poll", "a socket that can be written", POLLOUT, waits[0].revents);
  if (send(pair[0], "x", 1, 0) != 1) abort();
  VALUE_OF("poll", "a pair of sockets, a byte sent", 2, poll(waits, 2, -1));
  close(pair[0]);
  char byte;
  VALUE_OF("recv", "the byte that was sent before the close", 1, recv(pair[1], &byte, 1, 0));
  pollfd hung = {pair[1], POLLIN, 0};
  VALUE_OF("poll", "the other socket is closed", 1, poll(&hung, 1, -1));
  VALUE_OF("poll", "what it says of the closed socket", POLLIN | POLLHUP, hung.revents);
  close(pair[1]);
}

}  // namespace

int main() {
  begin_checks();
  if (pipe(ends) != 0) abort();
  check_poll();
  check_select();
  check_epoll();
  check_sockets();
  return end_checks();
}
