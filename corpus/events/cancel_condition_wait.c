// A thread that is cancelled in a condition wait has the mutex again; without a cleanup handler it keeps it.
// heddle: run
// expect: bug deadlock at bound 1
// twin: cancel_condition_wait_fixed.c
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int stop;

static void* worker(void* unused) {
  (void)unused;
  pthread_mutex_lock(&lock);
  while (!stop) pthread_cond_wait(&changed, &lock);
  pthread_mutex_unlock(&lock);
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
