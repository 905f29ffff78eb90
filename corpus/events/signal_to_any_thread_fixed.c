// The threads inherit a mask that blocks the signal; only main, which unblocks it again, can handle it.
// heddle: run
// expect: clean complete
// twin: signal_to_any_thread.c
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
  sigset_t blocked, before;
  main_thread = pthread_self();
  signal(SIGUSR1, on_signal);
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &blocked, &before);
  pthread_create(&thread, NULL, worker, NULL);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pthread_join(thread, NULL);
  assert(pthread_equal(handled_by, main_thread));
  return 0;
}
