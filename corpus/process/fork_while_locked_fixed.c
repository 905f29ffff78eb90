// Handlers of pthread_atfork() take the lock around the fork: in the reverse order before it, in their order after it.
// heddle: run
// expect: clean complete
// isolation: fork
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int order[8], handlers_run;

static void note(int number) { order[handlers_run++] = number; }
static void lock(void) {
  pthread_mutex_lock(&mutex);
  note(1);
}
static void unlock(void) {
  note(2);
  pthread_mutex_unlock(&mutex);
}
static void other_before(void) { note(3); }
static void other_after(void) { note(4); }

static void* use_lock(void* unused) {
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_atfork(lock, unlock, unlock);
  pthread_atfork(other_before, other_after, other_after);
  pthread_create(&thread, NULL, use_lock, NULL);
  const pid_t child = fork();
  static const int expected[] = {3, 1, 2, 4};
  for (int i = 0; i < 4; ++i) assert(order[i] == expected[i]);
  assert(handlers_run == 4);
  if (child == 0) {
    pthread_mutex_lock(&mutex);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  pthread_join(thread, NULL);
  return status != 0;
}
