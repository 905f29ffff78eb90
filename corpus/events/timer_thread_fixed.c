// A timer that starts a thread: what it reads is there before the timer is set.
// heddle: run
// expect: clean complete
// twin: timer_thread.c
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t done;
static int ready;

static void on_time(union sigval value) {
  pthread_mutex_lock(&lock);
  assert(ready == value.sival_int);
  pthread_mutex_unlock(&lock);
  sem_post(&done);
}

int main(void) {
  struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = on_time};
  const struct itimerspec in_a_second = {.it_value = {1, 0}};
  timer_t timer;
  event.sigev_value.sival_int = 1;
  sem_init(&done, 0, 0);
  timer_create(CLOCK_MONOTONIC, &event, &timer);
  pthread_mutex_lock(&lock);
  ready = 1;
  pthread_mutex_unlock(&lock);
  timer_settime(timer, 0, &in_a_second, NULL);
  sem_wait(&done);
  timer_delete(timer);
  return 0;
}
