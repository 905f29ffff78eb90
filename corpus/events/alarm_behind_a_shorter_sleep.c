// The sleep is over before the watchdog is, which is then taken back: it never barks.
// heddle: run
// expect: clean complete
// twin: alarm_before_a_longer_sleep.c
#include <pthread.h>
#include <unistd.h>

static void* work(void* unused) {
  alarm(5);
  sleep(1);
  alarm(0);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, work, 0);
  return pthread_join(thread, 0);
}
