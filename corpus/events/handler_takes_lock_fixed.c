// A handler only posts a semaphore, which POSIX allows it; the lock is taken elsewhere.
// heddle: run
// expect: clean complete
// twin: handler_takes_lock.c
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t come;
static int count;

static void add(void) {
  pthread_mutex_lock(&lock);
  ++count;
  pthread_mutex_unlock(&lock);
}

static void on_signal(int number) {
  (void)number;
  sem_post(&come);
}

static void* worker(void* unused) {
  (void)unused;
  add();
  return NULL;
}

int main(void) {
  pthread_t thread;
  sem_init(&come, 0, 0);
  signal(SIGUSR1, on_signal);
  pthread_create(&thread, NULL, worker, NULL);
  pthread_kill(thread, SIGUSR1);
  pthread_join(thread, NULL);
  add();
  return 0;
}
