// An eventfd from before the first thread is written in a few schedules only, long after the first: what it holds then
// must not be there in the next.
// heddle: run
// expect: clean bound 2
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { kTurns = 80 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int turns;

static void* take_turns(void* unused) {
  for (int i = 0; i < kTurns; ++i) {
    pthread_mutex_lock(&lock);
    ++turns;
    pthread_mutex_unlock(&lock);
  }
  return unused;
}

int main(void) {
  struct pollfd event = {.fd = eventfd(0, EFD_NONBLOCK), .events = POLLIN};
  pthread_t thread;
  pthread_create(&thread, NULL, take_turns, NULL);
  assert(poll(&event, 1, 0) == 0);
  pthread_mutex_lock(&lock);
  const int seen = turns;
  pthread_mutex_unlock(&lock);
  if (seen == 5) {
    const uint64_t one = 1;
    assert(write(event.fd, &one, sizeof one) == sizeof one);
  }
  pthread_join(thread, NULL);
  return 0;
}
