// Looks whether the signal has come, then waits for it: in between it comes, and the wait is for ever.
// heddle: run
// expect: bug deadlock at bound 1
// twin: signal_before_suspend_fixed.c
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

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
  struct sigaction action = {.sa_handler = on_signal};
  sigaction(SIGUSR1, &action, NULL);
  pthread_create(&thread, NULL, sender, &self);
  while (!come) pause();
  pthread_join(thread, NULL);
  return 0;
}
