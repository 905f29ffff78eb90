// Asks what a socket from before the first thread is called and of what type it is: that changes nothing.
// heddle: run
// expect: clean complete
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/socket.h>

static int sockets[2];

static void* look(void* unused) {
  struct sockaddr_storage name;
  socklen_t size = sizeof name;
  int type = 0;
  assert(getsockname(sockets[0], (struct sockaddr*)&name, &size) == 0 && name.ss_family == AF_UNIX);
  size = sizeof name;
  assert(getpeername(sockets[0], (struct sockaddr*)&name, &size) == 0 && name.ss_family == AF_UNIX);
  size = sizeof type;
  assert(getsockopt(sockets[0], SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type == SOCK_STREAM);
  return unused;
}

int main(void) {
  pthread_t thread;
  assert(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) == 0);
  pthread_create(&thread, NULL, look, NULL);
  look(NULL);
  pthread_join(thread, NULL);
  return 0;
}
