// Reads a file asynchronously and looks at the buffer before the request is done.
// heddle: run
// expect: bug assertion at bound 0
// twin: asynchronous_read_fixed.c
#include <aio.h>
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void* reader(void* unused) {
  char text[8] = "";
  struct aiocb request;
  memset(&request, 0, sizeof request);
  request.aio_fildes = open("/proc/self/comm", O_RDONLY);
  request.aio_buf = text;
  request.aio_nbytes = sizeof text;
  request.aio_sigevent.sigev_notify = SIGEV_NONE;
  assert(aio_read(&request) == 0);
  assert(memcmp(text, "asynchr", 7) == 0);
  close(request.aio_fildes);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, reader, NULL);
  pthread_join(thread, NULL);
  return 0;
}
