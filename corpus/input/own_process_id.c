// A program that has kept its process id from before its first thread: it is still that process, its thread's id is
// what it was, and its child has it as its parent. Under fork isolation and snapshots the kernel has another number.
// heddle: run
// expect: clean complete
// isolation: fork
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static pid_t own, parent;
static volatile sig_atomic_t seen;

static void on_signal(int signal, siginfo_t* info, void* unused) {
  (void)signal, (void)unused;
  assert(info->si_pid == own);
  seen = 1;
}

static void* check(void* unused) {
  assert(getpid() == own && getppid() == parent);
  assert(syscall(SYS_getpid) == own);
  return unused;
}

int main(void) {
  own = getpid();
  parent = getppid();
  assert(gettid() == own);
  struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO};
  sigaction(SIGUSR1, &action, NULL);
  pthread_t thread;
  pthread_create(&thread, NULL, check, NULL);
  pthread_join(thread, NULL);
  check(NULL);
  assert(gettid() == own);
  cpu_set_t set;
  assert(sched_getaffinity(own, sizeof set, &set) == 0);
  assert(kill(own, 0) == 0);
  assert(kill(own, SIGUSR1) == 0 && seen);
  const pid_t child = fork();
  if (child == 0) _exit(getppid() == own && getpid() != own ? 0 : 1);
  int status = 0;
  assert(waitpid(child, &status, 0) == child && status == 0);
  return 0;
}
