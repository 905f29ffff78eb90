// An alarm is set and taken back, and may ring all the same: then nothing was left of it.
// heddle: run
// expect: clean complete
// twin: alarm_disarmed.c
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
  const unsigned left = alarm(0);
  assert(!rang || left == 0);
  pthread_join(thread, NULL);
  return 0;
}
