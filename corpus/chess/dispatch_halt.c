// The boot of Singularity (CHESS, OSDI 2008, Figure 3): a thread waits for its notification in a loop that yields
// only when nothing at all is pending. As long as another thread's notification is, it spins and starves whoever would
// take it.
// heddle: run --samaritan=bug --max-steps=4000
// expect: bug good samaritan violation at bound 1
// twin: dispatch_halt_fixed.c
#include <pthread.h>
#include <time.h>

static pthread_mutex_t hardware = PTHREAD_MUTEX_INITIALIZER;
static int pending[3];

static int is_pending(int id) {
  pthread_mutex_lock(&hardware);
  const int result = pending[id];
  pthread_mutex_unlock(&hardware);
  return result;
}

static int any_pending(void) {
  pthread_mutex_lock(&hardware);
  const int result = pending[1] || pending[2];
  pthread_mutex_unlock(&hardware);
  return result;
}

static void take(int id) {
  pthread_mutex_lock(&hardware);
  pending[id] = 0;
  pthread_mutex_unlock(&hardware);
}

static void notify(int id) {
  pthread_mutex_lock(&hardware);
  pending[id] = 1;
  pthread_mutex_unlock(&hardware);
}

static void halt(void) {
  if (any_pending()) return;  // the bug: a notification for someone else is no reason to go on
  const struct timespec moment = {0, 1000000};
  nanosleep(&moment, NULL);
}

static void* dispatch(void* argument) {
  const int id = *(const int*)argument;
  for (;;) {
    halt();
    if (is_pending(id)) {
      take(id);
      return NULL;
    }
  }
}

int main(void) {
  static const int ids[] = {1, 2};
  pthread_t dispatchers[2];
  notify(2);
  for (int i = 0; i < 2; ++i) pthread_create(&dispatchers[i], NULL, dispatch, (void*)&ids[i]);
  notify(1);
  for (int i = 0; i < 2; ++i) pthread_join(dispatchers[i], NULL);
  return 0;
}
