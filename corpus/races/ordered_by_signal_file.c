// What a signal orders that is read from a descriptor, for the thread and for the process.
// heddle: run
// expect: clean complete
// twin: races/race_counter.c
// build: heddle-cc
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <sys/signalfd.h>
#include <unistd.h>

static int value, other_value, descriptor;

static void read_signal(void) {
  struct signalfd_siginfo info;
  if (read(descriptor, &info, sizeof info) != (ssize_t)sizeof info) __builtin_trap();
}

static void* wait_for_both(void* unused) {
  read_signal();
  read_signal();
  if (value != 1 || other_value != 2) __builtin_trap();
  return unused;
}

int main(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  sigaddset(&set, SIGUSR2);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  descriptor = signalfd(-1, &set, 0);
  pthread_t thread;
  pthread_create(&thread, NULL, wait_for_both, NULL);
  value = 1;
  pthread_kill(thread, SIGUSR1);
  other_value = 2;
  kill(getpid(), SIGUSR2);
  pthread_join(thread, NULL);
  return 0;
}
