// An alarm is set and taken back, with nothing else in between: it may ring all the same, since its thread may be slow.
// heddle: run
// expect: bug assertion at bound 1
// twin: alarm_disarmed_fixed.c
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static volatile sig_atomic_t rang;

static void on_alarm(int number) {
  (void)number;
  rang = 1;
}

static void* nothing(void* unused) { return unused; }

int main(void) {
  pthread_t thread;
  signal(SIGALRM, on_alarm);
  pthread_create(&thread, NULL, nothing, NULL);
  alarm(1);
  alarm(0);
  assert(!rang);
  pthread_join(thread, NULL);
  return 0;
}
