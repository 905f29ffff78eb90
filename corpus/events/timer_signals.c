// What timers that send signals tell: the value, overruns, times left, a row of times. Correct, and silent.
// heddle: run
// expect: clean complete
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

static sigset_t own;
static timer_t periodic;

static void* taker(void* unused) {
  siginfo_t info;
  for (int taken = 0; taken < 2; ++taken) {
    assert(sigwaitinfo(&own, &info) == SIGRTMIN);
    assert(info.si_code == SI_TIMER && info.si_value.sival_int == 42);
    assert(timer_getoverrun(periodic) == info.si_overrun && info.si_overrun >= 0);
  }
  return unused;
}

static void check_overruns(void) {
  struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN + 1};
  const struct itimerspec each_millisecond = {{0, 1000000}, {0, 1000000}};
  siginfo_t info;
  sigset_t other;
  timer_t timer;
  sigemptyset(&other);
  sigaddset(&other, SIGRTMIN + 1);
  event.sigev_value.sival_int = 7;
  assert(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
  assert(timer_settime(timer, 0, &each_millisecond, NULL) == 0);
  usleep(20000);
  assert(sigwaitinfo(&other, &info) == SIGRTMIN + 1 && info.si_value.sival_int == 7);
  assert(info.si_overrun >= 8 && timer_getoverrun(timer) == info.si_overrun);
  assert(timer_delete(timer) == 0);
  assert(timer_delete(timer) == -1 && errno == EINVAL);
}

int main(void) {
  struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN};
  const struct itimerspec row = {{0, 1000000}, {0, 1000000}};
  struct itimerspec left;
  pthread_t thread;
  sigemptyset(&own);
  sigaddset(&own, SIGRTMIN);
  sigaddset(&own, SIGRTMIN + 1);
  pthread_sigmask(SIG_BLOCK, &own, NULL);
  sigdelset(&own, SIGRTMIN + 1);
  event.sigev_value.sival_int = 42;
  assert(timer_create(CLOCK_REALTIME, &event, &periodic) == 0);
  check_overruns();
  pthread_create(&thread, NULL, taker, NULL);
  assert(timer_settime(periodic, 0, &row, NULL) == 0);
  pthread_join(thread, NULL);
  assert(timer_gettime(periodic, &left) == 0);
  assert(left.it_interval.tv_nsec == 1000000 && left.it_value.tv_sec == 0);
  assert(timer_delete(periodic) == 0);
  return 0;
}
