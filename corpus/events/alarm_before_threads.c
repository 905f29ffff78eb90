// An alarm is set before the first thread, when the program's signals are still the kernel's. A signal to the process
// is taken by a thread, and not by the alarm, which is a task without a stack.
// heddle: run
// expect: clean complete
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static volatile sig_atomic_t rang, got;

static void note(int number) {
  if (number == SIGALRM)
    rang = 1;
  else
    got = 1;
}

static void* nothing(void* unused) { return unused; }

int main(void) {
  sigset_t alarms, before;
  pthread_t thread;
  signal(SIGALRM, note);
  signal(SIGUSR1, note);
  sigemptyset(&alarms);
  sigaddset(&alarms, SIGALRM);
  sigprocmask(SIG_BLOCK, &alarms, &before);
  alarm(1);
  pthread_create(&thread, NULL, nothing, NULL);
  kill(getpid(), SIGUSR1);
  pthread_join(thread, NULL);
  while (!rang) sigsuspend(&before);
  return got ? 0 : 1;
}
