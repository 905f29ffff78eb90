// A thread with a large stack, which is none of those that Heddle lends: it polls for what nobody sets. Its thread
// storage is elsewhere.
// heddle: run
// expect: bug livelock at bound 0
// twin: polls_and_gives_way
// runner: livelock_test.py
#include <pthread.h>
#include <sched.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int ready;

static void* poll_flag(void* unused) {
  for (int is = 0; !is; sched_yield()) {
    pthread_mutex_lock(&lock);
    is = ready;
    pthread_mutex_unlock(&lock);
  }
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_attr_t large;
  pthread_attr_init(&large);
  pthread_attr_setstacksize(&large, 64 << 20);
  pthread_create(&thread, &large, poll_flag, NULL);
  return pthread_join(thread, NULL);
}
