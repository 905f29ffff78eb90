// Expects that main handles a signal for the process: any thread that does not block it may.
// heddle: run
// expect: bug assertion at bound 0
// twin: signal_to_any_thread_fixed.c
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static pthread_t main_thread, handled_by;

static void on_signal(int number) {
  (void)number;
  handled_by = pthread_self();
}

static void* worker(void* unused) {
  kill(getpid(), SIGUSR1);
  return unused;
}

int main(void) {
  pthread_t thread;
  main_thread = pthread_self();
  signal(SIGUSR1, on_signal);
  pthread_create(&thread, NULL, worker, NULL);
  pthread_join(thread, NULL);
  assert(pthread_equal(handled_by, main_thread));
  return 0;
}
