// SIGALRM is blocked everywhere and taken by sigwait; later an alarm that would end the process is a watchdog: it stays
// silent while the program gets on.
// heddle: run
// expect: clean complete
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static sigset_t alarms;

static void* waiter(void* unused) {
  int number = 0;
  sigwait(&alarms, &number);
  assert(number == SIGALRM);
  return unused;
}

int main(void) {
  pthread_t thread;
  sigset_t before;
  sigemptyset(&alarms);
  sigaddset(&alarms, SIGALRM);
  pthread_sigmask(SIG_BLOCK, &alarms, &before);
  pthread_create(&thread, NULL, waiter, NULL);
  assert(alarm(1) == 0);
  pthread_join(thread, NULL);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  assert(alarm(60) == 0);
  sleep(1);
  assert(alarm(0) == 59);
  return 0;
}
