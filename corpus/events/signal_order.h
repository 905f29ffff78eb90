// One thread sends two signals to the process, another takes them.
#pragma once

#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static int number_of(int which);

static sigset_t taken;

static void* taker(void* unused) {
  for (int which = 1; which <= 2; ++which) {
    siginfo_t info;
    assert(sigwaitinfo(&taken, &info) > 0);
    assert(info.si_value.sival_int == which);
  }
  return unused;
}

int main(void) {
  pthread_t thread;
  sigemptyset(&taken);
  for (int which = 1; which <= 2; ++which) sigaddset(&taken, number_of(which));
  pthread_sigmask(SIG_BLOCK, &taken, NULL);
  pthread_create(&thread, NULL, taker, NULL);
  for (int which = 1; which <= 2; ++which) sigqueue(getpid(), number_of(which), (union sigval){.sival_int = which});
  pthread_join(thread, NULL);
  return 0;
}
