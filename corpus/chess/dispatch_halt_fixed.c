// The boot of Singularity, mended: a thread that finds nothing for itself yields.
// heddle: run --max-steps=2000
// expect: clean bound 1
// twin: dispatch_halt.c
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
