// A child process and the threads of its parent wait for each other at objects that they share.
// heddle: run --max-preemptions=2
// expect: clean bound 2
// says: Not checked: other orders of its child processes
// twin: shared_object_forgotten.c
// isolation: exec
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

struct Shared {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  sem_t asked;
  int questions, answers;
};

static struct Shared* shared;

static void answer(void) {
  for (int i = 0; i < 2; ++i) {
    sem_wait(&shared->asked);
    pthread_mutex_lock(&shared->lock);
    ++shared->answers;
    pthread_cond_broadcast(&shared->changed);
    pthread_mutex_unlock(&shared->lock);
  }
  _exit(0);
}

static void* ask(void* unused) {
  pthread_mutex_lock(&shared->lock);
  const int number = ++shared->questions;
  sem_post(&shared->asked);
  while (shared->answers < number) pthread_cond_wait(&shared->changed, &shared->lock);
  pthread_mutex_unlock(&shared->lock);
  return unused;
}

static void init(void) {
  pthread_mutexattr_t lock;
  pthread_condattr_t changed;
  pthread_mutexattr_init(&lock);
  pthread_mutexattr_setpshared(&lock, PTHREAD_PROCESS_SHARED);
  pthread_condattr_init(&changed);
  pthread_condattr_setpshared(&changed, PTHREAD_PROCESS_SHARED);
  pthread_mutex_init(&shared->lock, &lock);
  pthread_cond_init(&shared->changed, &changed);
  sem_init(&shared->asked, 1, 0);
}

int main(void) {
  pthread_t threads[2];
  int status = 0;
  shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  init();
  const pid_t child = fork();
  if (child == 0) answer();
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, ask, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  assert(waitpid(child, &status, 0) == child && status == 0);
  return 0;
}
