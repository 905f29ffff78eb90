// A signal for the process may fall to a thread that is about to leave: then another one takes it, and none is lost.
// heddle: run
// expect: clean complete
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

static volatile sig_atomic_t come;

static void on_signal(int number) {
  (void)number;
  come = 1;
}

static void* leave(void* unused) { return unused; }

static void* send(void* unused) {
  kill(getpid(), SIGUSR1);
  return unused;
}

int main(void) {
  pthread_t threads[2];
  struct sigaction action = {.sa_handler = on_signal};
  sigaction(SIGUSR1, &action, NULL);
  pthread_create(&threads[0], NULL, leave, NULL);
  pthread_create(&threads[1], NULL, send, NULL);
  while (!come) sched_yield();
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  return 0;
}
