// A fork beside a thread that uses a lock, with handlers; CHILD_UNLOCKS: whether the child's lets the lock go.
#include <assert.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void before(void) { pthread_mutex_lock(&mutex); }
static void after_in_parent(void) { pthread_mutex_unlock(&mutex); }
static void after_in_child(void) {
  if (CHILD_UNLOCKS) pthread_mutex_unlock(&mutex);
}

static void* use(void* unused) {
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  return unused;
}

int main(void) {
  int status = 0;
  pthread_t thread;
  pthread_atfork(before, after_in_parent, after_in_child);
  pthread_create(&thread, NULL, use, NULL);
  const pid_t child = fork();
  if (child == 0) {
    use(NULL);
    _exit(0);
  }
  assert(waitpid(child, &status, 0) == child && WIFEXITED(status));
  pthread_join(thread, NULL);
  return 0;
}
