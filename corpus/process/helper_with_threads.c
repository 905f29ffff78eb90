// A process that is forked before the first thread has threads of its own, and gets on; it is the program's own threads
// that lock in opposite orders.
// heddle: run
// expect: bug deadlock at bound 1
// says: a child process that the program forked creates threads
// twin: helper_with_threads_fixed.c
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;

static void* nothing(void* unused) { return unused; }

static void run_helper(void) {
  int status = 1;
  const pid_t helper = fork();
  if (helper == 0) {
    pthread_t thread;
    pthread_create(&thread, NULL, nothing, NULL);
    pthread_join(thread, NULL);
    _exit(3);
  }
  assert(waitpid(helper, &status, 0) == helper && WEXITSTATUS(status) == 3);
}

static void* back(void* unused) {
  pthread_mutex_lock(&other);
  pthread_mutex_lock(&one);
  pthread_mutex_unlock(&one);
  pthread_mutex_unlock(&other);
  return unused;
}

int main(void) {
  pthread_t thread;
  run_helper();
  pthread_create(&thread, NULL, back, NULL);
  pthread_mutex_lock(&one);
  pthread_mutex_lock(&other);
  pthread_mutex_unlock(&other);
  pthread_mutex_unlock(&one);
  pthread_join(thread, NULL);
  return 0;
}
