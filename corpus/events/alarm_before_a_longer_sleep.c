// A watchdog's time is over before that of the sleep: it ends the program in every schedule, as natively.
// heddle: run --timeouts=late
// expect: bug crash at bound 0
// says: SIGALRM
// twin: alarm_behind_a_shorter_sleep.c
#include <pthread.h>
#include <unistd.h>

static void* work(void* unused) {
  alarm(1);
  sleep(5);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, work, 0);
  return pthread_join(thread, 0);
}
