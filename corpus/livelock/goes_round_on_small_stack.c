// Threads with a small stack, of which one polls for what nobody sets. That its state has come again is seen by what
// its frames and its thread storage hold, which do not lie side by side then.
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
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, 64 << 10);
  pthread_create(&thread, &small, poll_flag, NULL);
  return pthread_join(thread, NULL);
}
