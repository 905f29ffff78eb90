// A thread waits for the end of a child by SIGCHLD; WAIT_FOR_SIGNAL(mask that blocks it, mask that does not).
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t ended;

static void on_child(int number) {
  (void)number;
  ended = 1;
}

static void* start_and_wait(void* unused) {
  sigset_t closed, open;
  int status = 0;
  sigemptyset(&closed);
  sigaddset(&closed, SIGCHLD);
  pthread_sigmask(SIG_BLOCK, &closed, &open);
  sigdelset(&open, SIGCHLD);
  const pid_t child = fork();
  if (child == 0) _exit(7);
  while (!ended) WAIT_FOR_SIGNAL(&closed, &open);
  assert(waitpid(child, &status, WNOHANG) == child && WEXITSTATUS(status) == 7);
  return unused;
}

int main(void) {
  struct sigaction action = {.sa_handler = on_child};
  sigset_t closed;
  pthread_t thread;
  sigaction(SIGCHLD, &action, NULL);
  sigemptyset(&closed);
  sigaddset(&closed, SIGCHLD);
  pthread_sigmask(SIG_BLOCK, &closed, NULL);
  pthread_create(&thread, NULL, start_and_wait, NULL);
  pthread_join(thread, NULL);
  return 0;
}
