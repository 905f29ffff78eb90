// Waits for what nobody does, beside a library's idle thread.
#include <pthread.h>
#include <semaphore.h>

void start_library(void);
static sem_t never;

static void* wait_for_it(void* unused) {
  sem_wait(&never);  // for ever
  return unused;
}

int main(void) {
  pthread_t thread;
  sem_init(&never, 0, 0);
  start_library();
  pthread_create(&thread, 0, wait_for_it, 0);
  pthread_join(thread, 0);
}
