// There is one alarm in a process: it is set by one thread behind the other.
// heddle: run
// expect: clean complete
// twin: alarm_of_another.c
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
  pthread_join(thread, NULL);
  alarm(50);
  assert(alarm(0) <= 50);
  return 0;
}
