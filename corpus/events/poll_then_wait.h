// A thread that waits for input on a pipe or for a signal that it blocks elsewhere, by WAIT(entries, mask that is
// open).
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static pthread_t waiter;
static int ends[2];

static void on_signal(int number) { (void)number; }

static void* sender(void* unused) {
  pthread_kill(waiter, SIGUSR1);
  return unused;
}

static void* wait_for_either(void* unused) {
  sigset_t open;
  struct pollfd entry = {0, POLLIN, 0};
  pthread_t thread;
  waiter = pthread_self();
  pthread_sigmask(SIG_SETMASK, NULL, &open);
  sigdelset(&open, SIGUSR1);
  if (pipe(ends) != 0) return NULL;
  entry.fd = ends[0];
  pthread_create(&thread, NULL, sender, NULL);
  WAIT(&entry, &open);
  pthread_join(thread, NULL);
  return unused;
}

int main(void) {
  struct sigaction action = {.sa_handler = on_signal};
  sigset_t closed;
  pthread_t thread;
  sigaction(SIGUSR1, &action, NULL);
  sigemptyset(&closed);
  sigaddset(&closed, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &closed, NULL);
  pthread_create(&thread, NULL, wait_for_either, NULL);
  pthread_join(thread, NULL);
  return 0;
}
