// There is one alarm in a process: what a thread takes back may be another's.
// heddle: run
// expect: bug assertion at bound 1
// twin: alarm_of_another_fixed.c
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static void on_alarm(int number) { (void)number; }

static void* waits_longer(void* unused) {
  alarm(70);
  return unused;
}

int main(void) {
  pthread_t thread;
  signal(SIGALRM, on_alarm);
  pthread_create(&thread, NULL, waits_longer, NULL);
  alarm(50);
  assert(alarm(0) <= 50);
  pthread_join(thread, NULL);
  return 0;
}
