// A handler takes the lock that its thread may hold at that moment.
// heddle: run
// expect: bug deadlock at bound 2
// twin: handler_takes_lock_fixed.c
#include <pthread.h>
#include <signal.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void add(void) {
  pthread_mutex_lock(&lock);
  ++count;
  pthread_mutex_unlock(&lock);
}

static void on_signal(int number) {
  (void)number;
  add();
}

static void* worker(void* unused) {
  (void)unused;
  add();
  return NULL;
}

int main(void) {
  pthread_t thread;
  signal(SIGUSR1, on_signal);
  pthread_create(&thread, NULL, worker, NULL);
  pthread_kill(thread, SIGUSR1);
  pthread_join(thread, NULL);
  return count == 0;
}
