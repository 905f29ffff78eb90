// Two that are queued with a value and one that merges, sent before there is a second thread.
#pragma once

#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static void send(void);

static sigset_t taken;

static void* taker(void* unused) {
  siginfo_t info;
  sigset_t pending;
  int number = 0;
  sigpending(&pending);
  assert(sigismember(&pending, SIGRTMIN));
  for (int value = 1; value <= 2; ++value) {
    sigset_t queued;
    sigemptyset(&queued);
    sigaddset(&queued, SIGRTMIN);
    assert(sigwaitinfo(&queued, &info) == SIGRTMIN && info.si_value.sival_int == value && info.si_pid == getpid());
  }
  assert(sigwait(&taken, &number) == 0 && number == SIGUSR1);
  return unused;
}

int main(void) {
  pthread_t thread;
  sigemptyset(&taken);
  sigaddset(&taken, SIGUSR1);
  sigaddset(&taken, SIGRTMIN);
  pthread_sigmask(SIG_BLOCK, &taken, NULL);
  for (int value = 1; value <= 2; ++value) sigqueue(getpid(), SIGRTMIN, (union sigval){.sival_int = value});
  send();
  pthread_create(&thread, NULL, taker, NULL);
  pthread_join(thread, NULL);
  return 0;
}
