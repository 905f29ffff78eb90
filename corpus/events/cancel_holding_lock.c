// A thread that is cancelled while it holds a lock, and has no cleanup handler: the lock stays taken for ever.
// heddle: run
// expect: bug deadlock at bound 0
// twin: cancel_holding_lock_fixed.c
#include <pthread.h>
#include <semaphore.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t work;

static void* worker(void* unused) {
  (void)unused;
  pthread_mutex_lock(&lock);
  sem_wait(&work);  // a cancellation point
  pthread_mutex_unlock(&lock);
  return NULL;
}

int main(void) {
  pthread_t thread;
  sem_init(&work, 0, 0);
  pthread_create(&thread, NULL, worker, NULL);
  pthread_cancel(thread);
  pthread_join(thread, NULL);
  pthread_mutex_lock(&lock);
  pthread_mutex_unlock(&lock);
  return 0;
}
