// A thread waits, with a deadline, for what nobody gives; nobody waits for the thread either. If its time is over
// before main() returns, it is none the worse for it. Nothing but the end of the process comes after that timeout.
// heddle: run --search=dpor
// expect: clean complete
// twin: timeout_at_end.c
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

static sem_t ready;

static void* wait_a_while(void* unused) {
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += 1;
  sem_timedwait(&ready, &until);
  return unused;
}

int main(void) {
  pthread_t thread;
  sem_init(&ready, 0, 0);
  pthread_create(&thread, NULL, wait_a_while, NULL);
  pthread_detach(thread);
  return 0;
}
