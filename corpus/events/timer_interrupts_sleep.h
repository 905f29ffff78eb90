// main sleeps, and a timer of TIMER_SECONDS sends it a signal.
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <time.h>

static void on_alarm(int number) { (void)number; }
static void* work(void* unused) { return unused; }

int main(void) {
  pthread_t thread;
  timer_t timer;
  const struct itimerspec time = {.it_value = {TIMER_SECONDS, 0}};
  const struct timespec pause = {5, 0};
  struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM};
  signal(SIGALRM, on_alarm);
  pthread_create(&thread, NULL, work, NULL);
  pthread_join(thread, NULL);
  assert(timer_create(CLOCK_REALTIME, &event, &timer) == 0);
  timer_settime(timer, 0, &time, NULL);
  assert(nanosleep(&pause, NULL) == -1);
  return 0;
}
