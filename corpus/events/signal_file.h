// Two workers ask the process to stop by SIGTERM; a thread reads STOPS such signals from a signalfd that was made
// before the first thread.
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

static int signals;

static void* worker(void* unused) {
  kill(getpid(), SIGTERM);
  return unused;
}

static void* wait_for_stop(void* unused) {
  for (int i = 0; i < STOPS; ++i) {
    struct signalfd_siginfo information;
    assert(read(signals, &information, sizeof information) == sizeof information);
    assert(information.ssi_signo == SIGTERM);
  }
  return unused;
}

int main(void) {
  pthread_t threads[3];
  sigset_t stop;
  sigemptyset(&stop);
  sigaddset(&stop, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &stop, NULL);
  signals = signalfd(-1, &stop, SFD_CLOEXEC);
  pthread_create(&threads[0], NULL, wait_for_stop, NULL);
  for (int i = 1; i < 3; ++i) pthread_create(&threads[i], NULL, worker, NULL);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], NULL);
  return 0;
}
