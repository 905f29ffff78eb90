// A socket that was made before the threads listens no more once it is closed: in a process that was forked for the
// execution it would, as the one that it was forked from has it, too.
// heddle: run --max-preemptions=1
// expect: clean bound 1
// isolation: exec
#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "leak/look_on.h"

static int listener;
static struct sockaddr_in address = {.sin_family = AF_INET};

static void* close_and_connect(void* unused) {
  point();
  assert(close(listener) == 0);
  const int client = socket(AF_INET, SOCK_STREAM, 0);
  assert(connect(client, (struct sockaddr*)&address, sizeof address) == -1 && errno == ECONNREFUSED);
  return unused;
}

int main(void) {
  socklen_t size = sizeof address;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  listener = socket(AF_INET, SOCK_STREAM, 0);
  assert(bind(listener, (struct sockaddr*)&address, size) == 0 && listen(listener, 1) == 0);
  assert(getsockname(listener, (struct sockaddr*)&address, &size) == 0);
  run_beside(close_and_connect);
  return 0;
}
