// Calls on pipes, socket pairs, loopback TCP and UDP, Unix sockets, eventfds, poll, select and epoll block and wake as
// they should, whoever comes first.
//
// heddle: run --max-schedules=300
// expect: clean
// isolation: fork
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

static int listener, datagrams, counter, pair[2], ends[2];
static struct sockaddr_in address, datagram_address;

static void* set_up(void* argument) {
  socklen_t size = sizeof address;
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  datagram_address = address;
  listener = socket(AF_INET, SOCK_STREAM, 0);
  assert(bind(listener, (struct sockaddr*)&address, size) == 0 && listen(listener, 4) == 0);
  assert(getsockname(listener, (struct sockaddr*)&address, &size) == 0);
  datagrams = socket(AF_INET, SOCK_DGRAM, 0);
  assert(bind(datagrams, (struct sockaddr*)&datagram_address, size) == 0);
  assert(getsockname(datagrams, (struct sockaddr*)&datagram_address, &size) == 0);
  counter = eventfd(0, EFD_SEMAPHORE);
  assert(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0 && pipe(ends) == 0);
  return argument;
}

static void* client(void* argument) {
  char text[8] = "";
  const uint64_t two = 2;
  const int stream = socket(AF_INET, SOCK_STREAM, 0);
  assert(connect(stream, (struct sockaddr*)&address, sizeof address) == 0);
  assert(send(stream, "ping", 5, 0) == 5);
  assert(recv(stream, text, 5, MSG_WAITALL) == 5 && strcmp(text, "pong") == 0);
  close(stream);
  const int sender = socket(AF_INET, SOCK_DGRAM, 0);
  assert(sendto(sender, "data", 5, 0, (struct sockaddr*)&datagram_address, sizeof datagram_address) == 5);
  close(sender);
  assert(write(counter, &two, 8) == 8);
  struct iovec parts[2] = {{"one", 3}, {"two", 4}};
  assert(writev(pair[1], parts, 2) == 7);
  close(pair[1]);
  assert(read(ends[0], text, 1) == 1 && text[0] == '!');
  return argument;
}

static void wait_for(int descriptor, int how) {
  struct pollfd entry = {descriptor, POLLIN, 0};
  struct epoll_event event = {EPOLLIN | EPOLLET, {.fd = descriptor}}, found;
  fd_set set;
  FD_ZERO(&set);
  FD_SET(descriptor, &set);
  if (how == 0) assert(poll(&entry, 1, -1) == 1 && entry.revents == POLLIN);
  if (how == 1) assert(select(descriptor + 1, &set, NULL, NULL, NULL) == 1 && FD_ISSET(descriptor, &set));
  if (how != 2) return;
  const int all = epoll_create1(0);
  assert(epoll_ctl(all, EPOLL_CTL_ADD, descriptor, &event) == 0);
  assert(epoll_wait(all, &found, 1, -1) == 1 && found.data.fd == descriptor);
  assert(epoll_wait(all, &found, 1, 0) == 0);
  close(all);
}

static void serve(void) {
  char text[16];
  uint64_t value;
  wait_for(listener, 0);
  const int stream = accept(listener, NULL, NULL);
  wait_for(stream, 2);
  assert(read(stream, text, sizeof text) == 5 && strcmp(text, "ping") == 0);
  assert(write(stream, "pong", 5) == 5);
  assert(read(stream, text, sizeof text) == 0);
  close(stream);
  wait_for(datagrams, 1);
  assert(recv(datagrams, text, sizeof text, 0) == 5);
  assert(read(counter, &value, 8) == 8 && value == 1);
  assert(read(counter, &value, 8) == 8 && value == 1);
  assert(recv(pair[0], text, 7, MSG_WAITALL) == 7 && strcmp(text, "onetwo") == 0);
  assert(read(pair[0], text, 1) == 0);
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, set_up, NULL);  // in the execution, not before its beginning
  pthread_join(thread, NULL);
  pthread_create(&thread, NULL, client, NULL);
  serve();
  const struct timeval limit = {0, 2000};
  char byte;
  assert(setsockopt(datagrams, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit) == 0);
  assert(recv(datagrams, &byte, 1, 0) == -1 && errno == EAGAIN);
  assert(recv(datagrams, &byte, 1, MSG_DONTWAIT) == -1 && errno == EAGAIN);
  struct pollfd entry = {counter, POLLIN, 0};
  assert(poll(&entry, 1, 20) == 0);
  assert(write(ends[1], "!", 1) == 1);
  pthread_join(thread, NULL);
  return 0;
}
