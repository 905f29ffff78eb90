// A child that was made before the threads: no thread has its number, and what is asked of it is asked of it.
// heddle: run
// expect: clean complete
// isolation: auto exec
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static pid_t child;

static void* worker(void* unused) {
  assert(gettid() != child && gettid() != getpid());
  return unused;
}

static void ask_the_child(void) {
  cpu_set_t set;
  assert(kill(child, 0) == 0 && sched_getscheduler(child) == SCHED_OTHER);
  assert(sched_getaffinity(child, sizeof set, &set) == 0);
  assert(setpriority(PRIO_PROCESS, (id_t)child, 5) == 0);
  assert(getpriority(PRIO_PROCESS, (id_t)child) == 5 && getpriority(PRIO_PROCESS, 0) != 5);
}

int main(void) {
  child = fork();
  if (child == 0)
    for (;;) pause();
  pthread_t threads[3];
  for (int i = 0; i < 3; ++i) pthread_create(&threads[i], NULL, worker, NULL);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], NULL);
  ask_the_child();
  assert(kill(child, SIGTERM) == 0);
  int status;
  assert(waitpid(child, &status, 0) == child && WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
}
