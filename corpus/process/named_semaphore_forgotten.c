// The child answers one of two questions only, and ends: one thread waits at the named semaphore for ever.
// heddle: run
// expect: bug deadlock at bound 0
// twin: named_semaphores_shared.c
// isolation: exec
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static sem_t *question, *answer;

static sem_t* make(const char* what) {
  char name[64];
  snprintf(name, sizeof name, "/heddle-corpus-%s-%d", what, (int)getpid());
  sem_t* const made = sem_open(name, O_CREAT | O_EXCL, 0600, 0);
  assert(made != SEM_FAILED && sem_unlink(name) == 0);
  return made;
}

static void* ask(void* unused) {
  sem_post(question);
  sem_wait(answer);
  return unused;
}

int main(void) {
  pthread_t threads[2];
  int status = 0;
  question = make("question");
  answer = make("answer");
  const pid_t child = fork();
  for (int i = 0; child == 0 && i < 1; ++i) sem_wait(question), sem_post(answer);
  if (child == 0) _exit(0);
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, ask, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  assert(waitpid(child, &status, 0) == child && status == 0);
  return 0;
}
