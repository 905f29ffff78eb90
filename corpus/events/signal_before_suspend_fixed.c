// Blocks the signal while it looks; sigsuspend lets it in and waits in one.
// heddle: run
// expect: clean complete
// twin: signal_before_suspend.c
#include <pthread.h>
#include <signal.h>

static volatile sig_atomic_t come;

static void on_signal(int number) {
  (void)number;
  come = 1;
}

static void* sender(void* receiver) {
  pthread_kill(*(pthread_t*)receiver, SIGUSR1);
  return NULL;
}

int main(void) {
  pthread_t self = pthread_self(), thread;
  sigset_t blocked, before;
  struct sigaction action = {.sa_handler = on_signal};
  sigaction(SIGUSR1, &action, NULL);
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGUSR1);
  pthread_create(&thread, NULL, sender, &self);
  pthread_sigmask(SIG_BLOCK, &blocked, &before);
  while (!come) sigsuspend(&before);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pthread_join(thread, NULL);
  return 0;
}
