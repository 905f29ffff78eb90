// A timer is deleted that may have expired before: its callback takes closed for an answer. Both are run.
// heddle: run --search=dpor
// expect: clean complete
// twin: timer_deleted.c
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool closed, ran;

static void on_time(union sigval unused) {
  (void)unused;
  pthread_mutex_lock(&lock);
  ran = !closed;
  pthread_mutex_unlock(&lock);
}

static void close_it(void) {
  pthread_mutex_lock(&lock);
  closed = true;
  pthread_mutex_unlock(&lock);
}

int main(void) {
  struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = on_time};
  const struct itimerspec in_a_second = {.it_value = {1, 0}};
  timer_t timer;
  timer_create(CLOCK_MONOTONIC, &event, &timer);
  timer_settime(timer, 0, &in_a_second, NULL);
  close_it();
  timer_delete(timer);
  return 0;
}
