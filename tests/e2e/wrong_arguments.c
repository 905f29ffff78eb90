// Calls one function (by the first argument) with a wrong pointer or number (by the second), and tells what came of it.
// Of several pairs of arguments it takes the first; under Heddle, each in an execution of its own.
#define _GNU_SOURCE
#include <aio.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <heddle/heddle.h>
#include <limits.h>
#include <malloc.h>
#include <mqueue.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/msg.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/sendfile.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/times.h>
#include <sys/timex.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

static void* volatile p;     // the pointer
static volatile int closed;  // a descriptor, or another number
static volatile long huge = LONG_MAX;
static int ends[2];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static sem_t semaphore;
static pthread_barrier_t barrier;
static struct timespec moment = {0, 1};
static struct timeval zero;
static long zeros[32];
static void* out;

static void* nothing(void* argument) { return argument; }

static const char* const kNames[] = {
#define CALL(...) #__VA_ARGS__,
#include "wrong_arguments.def"
#undef CALL
};

static void tell(long result) {
  printf("%s\n", result == 0 ? "0" : result == -1 ? strerrorname_np(errno) ? strerrorname_np(errno) : "-1" : "other");
}

#define free(p) (free(p), 0L)
#define call_once(a, b) (call_once(a, b), 0L)

static void make(int number) {
  pthread_t thread;
  timer_t timer = 0;
  int closed_copy = 0, at = 0;
  (void)closed_copy, (void)thread, (void)timer;
  errno = 0;
#define CALL(...) \
  if (number == at++) return tell((long)(__VA_ARGS__));
#include "wrong_arguments.def"
}

static int count;
static char** arguments;

static void* run(void* unused) {
  const int chosen = 2 * heddle_choose(count / 2);
  const int number = atoi(arguments[chosen]);
  p = (void*)atol(arguments[chosen + 1]);
  printf("\n%d %ld %s gives ", number, (long)p, kNames[number]);
  fflush(stdout);
  make(number);
  return unused;
}

int main(int argc, char** argv) {
  if (argc < 3) return printf("%zu\n", sizeof kNames / sizeof *kNames), 0;
  count = argc - 1;
  arguments = argv + 1;
  closed = 99;
  if (pipe(ends) != 0) return 9;
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  fcntl(ends[1], F_SETFL, O_NONBLOCK);
  sem_init(&semaphore, 0, 0);
  pthread_barrier_init(&barrier, NULL, 1);
  pthread_t thread;
  if (pthread_create(&thread, NULL, run, NULL) != 0) return 9;
  pthread_join(thread, NULL);
  return 0;
}
