// Waits again when a signal handler has ended the wait.
// heddle: run
// expect: clean complete
// twin: eintr_taken_for_post.c
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>

static sem_t ready;
static int value;

static void on_signal(int number) { (void)number; }

static void* consumer(void* unused) {
  (void)unused;
  while (sem_wait(&ready) != 0 && errno == EINTR) continue;
  assert(value == 1);
  return NULL;
}

static void* sender(void* receiver) {
  pthread_kill(*(pthread_t*)receiver, SIGUSR1);
  return NULL;
}

int main(void) {
  pthread_t thread, other;
  struct sigaction action = {.sa_handler = on_signal};
  sigaction(SIGUSR1, &action, NULL);
  sem_init(&ready, 0, 0);
  pthread_create(&thread, NULL, consumer, NULL);
  pthread_create(&other, NULL, sender, &thread);
  value = 1;
  sem_post(&ready);
  pthread_join(other, NULL);
  pthread_join(thread, NULL);
  return 0;
}
