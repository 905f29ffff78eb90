// An event loop as libraries have it: an epoll set, a counter that wakes it and a pipe that it reads, all made before
// its thread, and closed behind it.
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int set, wake_up, ends[2];
static int posted, handled, stopping;

static void notify(void) {
  const uint64_t one = 1;
  assert(write(wake_up, &one, sizeof one) == sizeof one);
}

static void post(int* what) {
  pthread_mutex_lock(&mutex);
  ++*what;
  pthread_mutex_unlock(&mutex);
  notify();
}

static int handle_posted(void) {
  pthread_mutex_lock(&mutex);
  handled += posted;
  posted = 0;
  const int ends_here = stopping;
  pthread_mutex_unlock(&mutex);
  return ends_here;
}

static void clear(void) {
  uint64_t count;
  while (read(wake_up, &count, sizeof count) > 0) continue;
}

static void* run_loop(void* unused) {
  for (int ends_here = 0; !ends_here;) {
    struct epoll_event event;
    assert(epoll_wait(set, &event, 1, -1) == 1);
    if (event.data.fd == ends[0]) {
      char byte;
      assert(read(ends[0], &byte, 1) == 1);
      continue;
    }
#ifdef CLEARED_LATE
    ends_here = handle_posted();
    clear();  // also what has come since
#else
    clear();
    ends_here = handle_posted();
#endif
  }
  return unused;
}

static void* post_one(void* unused) {
  post(&posted);
  assert(write(ends[1], "b", 1) == 1);
  return unused;
}

static void add(int descriptor) {
  struct epoll_event event = {.events = EPOLLIN, .data.fd = descriptor};
  assert(epoll_ctl(set, EPOLL_CTL_ADD, descriptor, &event) == 0);
}

int main(void) {
  set = epoll_create1(EPOLL_CLOEXEC);
  wake_up = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  assert(set >= 0 && wake_up >= 0 && pipe(ends) == 0);
  add(wake_up);
  add(ends[0]);
  pthread_t loop, other;
  pthread_create(&loop, NULL, run_loop, NULL);
  pthread_create(&other, NULL, post_one, NULL);
  pthread_join(other, NULL);
  post(&stopping);
  pthread_join(loop, NULL);
  assert(handled == 1);
  const int all[] = {set, wake_up, ends[0], ends[1]};
  for (int i = 0; i < 4; ++i) assert(close(all[i]) == 0);
  return 0;
}
