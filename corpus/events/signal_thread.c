// The usual way to handle signals in a program with threads: all block them, one takes them by sigwait.
// heddle: run
// expect: clean complete
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static sigset_t awaited;
static int reloads;

static void* take_signals(void* unused) {
  for (int number = 0; number != SIGTERM;) {
    sigwait(&awaited, &number);
    if (number == SIGHUP) ++reloads;
  }
  return unused;
}

int main(void) {
  pthread_t thread;
  sigemptyset(&awaited);
  sigaddset(&awaited, SIGHUP);
  sigaddset(&awaited, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &awaited, NULL);
  pthread_create(&thread, NULL, take_signals, NULL);
  kill(getpid(), SIGHUP);
  kill(getpid(), SIGTERM);
  pthread_join(thread, NULL);
  assert(reloads <= 1);
  return 0;
}
