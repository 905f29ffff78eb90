// Socket pairs that were made before the threads: in each execution something is sent and not received, an end is shut
// down, or copied and closed, and the next one finds both ends open and nothing in them.
// heddle: run --max-preemptions=2
// expect: clean bound 2
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "leak/look_on.h"

static int stream[2], messages[2];

static void use_stream(void) {
  char bytes[16];
  assert(recv(stream[0], bytes, sizeof bytes, MSG_DONTWAIT) == -1 && errno == EAGAIN);
  assert((fcntl(stream[1], F_GETFL) & O_NONBLOCK) != 0 && (fcntl(stream[0], F_GETFL) & O_NONBLOCK) == 0);
  assert(fcntl(stream[0], F_GETFD) == FD_CLOEXEC);
  assert(send(stream[0], "hello", 5, 0) == 5);
  point();
  assert(recv(stream[1], bytes, 2, 0) == 2 && memcmp(bytes, "he", 2) == 0);
  assert(send(stream[1], "left", 4, 0) == 4);
  assert(fcntl(stream[1], F_SETFL, 0) == 0 && shutdown(stream[0], SHUT_WR) == 0);
  assert(send(stream[0], "x", 1, MSG_NOSIGNAL) == -1 && errno == EPIPE);
}

static void use_messages(void) {
  char bytes[16];
  const int copy = dup(messages[0]);
  assert(copy >= 0 && close(messages[0]) == 0);
  assert(send(copy, "one", 3, 0) == 3 && send(copy, "two", 3, 0) == 3);
  point();
  assert(recv(messages[1], bytes, sizeof bytes, 0) == 3 && memcmp(bytes, "one", 3) == 0);
  assert(close(copy) == 0 && recv(messages[1], bytes, sizeof bytes, 0) == 3);
  assert(recv(messages[1], bytes, sizeof bytes, 0) == 0);
}

static void* use(void* unused) {
  use_stream();
  use_messages();
  return unused;
}

int main(void) {
  assert(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, stream) == 0);
  assert(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, messages) == 0);
  assert(fcntl(stream[1], F_SETFL, O_NONBLOCK) == 0);
  run_beside(use);
  return 0;
}
