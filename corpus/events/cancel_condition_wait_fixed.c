// A thread that is cancelled in a condition wait has the mutex again, and unlocks it in a cleanup handler.
// heddle: run
// expect: clean complete
// twin: cancel_condition_wait.c
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int stop;

static void unlock(void* mutex) { pthread_mutex_unlock(mutex); }

static void* worker(void* unused) {
  (void)unused;
  pthread_mutex_lock(&lock);
  pthread_cleanup_push(unlock, &lock);
  while (!stop) pthread_cond_wait(&changed, &lock);
  pthread_cleanup_pop(1);
  return NULL;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, worker, NULL);
  pthread_cancel(thread);
  pthread_mutex_lock(&lock);
  stop = 1;
  pthread_mutex_unlock(&lock);
  pthread_join(thread, NULL);
  return 0;
}
