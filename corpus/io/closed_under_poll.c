// A thread polls a connection, another closes it to make an end: closing wakes nobody who is in poll() already, which
// goes on waiting for the open file. Only who has not come so far is told that the number leads nowhere (POLLNVAL).
//
// heddle: run
// expect: bug deadlock at bound 0
// says: waits in poll or select
// twin: closed_under_poll_fixed.c
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

static int connection[2];

static void* make(void* argument) {
  assert(socketpair(AF_UNIX, SOCK_STREAM, 0, connection) == 0);
  return argument;
}

static void* wait_for_it(void* argument) {
  struct pollfd entry = {connection[0], POLLIN, 0};
  assert(poll(&entry, 1, -1) == 1);
  return argument;
}

static void* end_it(void* argument) {
#ifdef SHUT_DOWN
  shutdown(connection[0], SHUT_RDWR);
#else
  close(connection[0]);
#endif
  return argument;
}

int main(void) {
  pthread_t waiter, other;
  pthread_create(&waiter, NULL, make, NULL);
  pthread_join(waiter, NULL);
  pthread_create(&waiter, NULL, wait_for_it, NULL);
  pthread_create(&other, NULL, end_it, NULL);
  pthread_join(waiter, NULL);
  pthread_join(other, NULL);
}
