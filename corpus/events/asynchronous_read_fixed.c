// Reads a file asynchronously and waits until it is done, in each of three ways.
// heddle: run
// expect: clean complete
// twin: asynchronous_read.c
#include <aio.h>
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static sigset_t done;

static void* reader(void* unused) {
  char text[8] = "";
  struct aiocb request;
  memset(&request, 0, sizeof request);
  request.aio_fildes = open("/proc/self/comm", O_RDONLY);
  request.aio_buf = text;
  request.aio_nbytes = sizeof text;
  request.aio_sigevent.sigev_notify = SIGEV_SIGNAL;
  request.aio_sigevent.sigev_signo = SIGUSR1;
  request.aio_sigevent.sigev_value.sival_int = 9;
  assert(aio_read(&request) == 0);
  const struct aiocb* list[] = {&request};
  assert(aio_suspend(list, 1, NULL) == 0);
  assert(aio_error(&request) == 0 && aio_return(&request) == 8);
  siginfo_t info;
  assert(sigwaitinfo(&done, &info) == SIGUSR1 && info.si_code == SI_ASYNCIO && info.si_value.sival_int == 9);
  memset(text, 0, sizeof text);
  request.aio_sigevent.sigev_notify = SIGEV_NONE;
  assert(aio_read(&request) == 0);
  while (aio_error(&request) == EINPROGRESS) continue;
  assert(memcmp(text, "asynchr", 7) == 0);
  memset(text, 0, sizeof text);
  request.aio_lio_opcode = LIO_READ;
  struct aiocb* both[] = {&request, NULL};
  assert(lio_listio(LIO_WAIT, both, 2, NULL) == 0);
  assert(memcmp(text, "asynchr", 7) == 0);
  close(request.aio_fildes);
  return unused;
}

int main(void) {
  pthread_t thread;
  sigemptyset(&done);
  sigaddset(&done, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &done, NULL);
  pthread_create(&thread, NULL, reader, NULL);
  pthread_join(thread, NULL);
  return 0;
}
