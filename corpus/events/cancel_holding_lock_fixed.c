// A thread that is cancelled while it holds a lock unlocks it in a cleanup handler.
// heddle: run
// expect: clean complete
// twin: cancel_holding_lock.c
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t work;

static void unlock(void* mutex) { pthread_mutex_unlock(mutex); }

static void* worker(void* unused) {
  (void)unused;
  pthread_mutex_lock(&lock);
  pthread_cleanup_push(unlock, &lock);
  sem_wait(&work);
  pthread_cleanup_pop(1);
  return NULL;
}

int main(void) {
  pthread_t thread;
  void* result = NULL;
  sem_init(&work, 0, 0);
  pthread_create(&thread, NULL, worker, NULL);
  pthread_cancel(thread);
  pthread_join(thread, &result);
  assert(result == PTHREAD_CANCELED);
  pthread_mutex_lock(&lock);
  pthread_mutex_unlock(&lock);
  return 0;
}
