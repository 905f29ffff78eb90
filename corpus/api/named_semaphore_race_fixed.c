// Two threads make the same semaphore: O_EXCL tells which of them did.
// heddle: run
// expect: clean complete
// twin: named_semaphore_race.c
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

static char name[40];  // the process's own: natively it is a file that all others see
static int makers;

static void* make(void* unused) {
  if (sem_open(name, O_CREAT | O_EXCL, 0600, 1) != SEM_FAILED) ++makers;
  return unused;
}

int main(void) {
  pthread_t threads[2];
  snprintf(name, sizeof name, "/heddle-corpus-race-%d", (int)getpid());
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, make, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  sem_unlink(name);
  assert(makers == 1);
  return 0;
}
