// Timers: per process, alarm, setitimer, timerfd. Only what holds at any speed is checked.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <sys/time.h>
#include <sys/timerfd.h>

#include "check.h"

namespace {

volatile sig_atomic_t fired, value_seen;

void note(int) { fired = fired + 1; }

void note_value(int, siginfo_t* information, void*) {
  value_seen = information->si_value.sival_int;
  fired = fired + 1;
}

void on(int number) {
  struct sigaction action = {};
  if (number == SIGRTMIN) {
    action.sa_sigaction = note_value;
    action.sa_flags = SA_SIGINFO;
  } else {
    action.sa_handler = note;
  }
  sigaction(number, &action, nullptr);
}

void wait_for(int count) {
  while (fired < count) pause_ms(1);
}

itimerspec times(long first_ms, long every_ms) {
  itimerspec result = {};
  result.it_value = {first_ms / 1000, first_ms % 1000 * 1000000};
  result.it_interval = {every_ms / 1000, every_ms % 1000 * 1000000};
  return result;
}

void check_signal_timers() {
  on(SIGRTMIN);
  sigevent event = {};
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = SIGRTMIN;
  event.sigev_value.sival_int = 17;
  timer_t timer;
  ERRNO_OF("timer_create", "monotonic, a signal", 0, timer_create(CLOCK_MONOTONIC, &event, &timer));
  itimerspec set = times(3, 0), old = {};
  ERRNO_OF("timer_settime", "three milliseconds", 0, timer_settime(timer, 0, &set, &old));
  HOLDS("timer_settime", "was not armed before", old.it_value.tv_sec == 0 && old.it_value.tv_nsec == 0);
  const long long before = now_ns(CLOCK_MONOTONIC);
  wait_for(1);
  VALUE_OF("timer_create", "the value with the signal", 17, value_seen);
  HOLDS("timer_settime", "not earlier than set, by a millisecond", now_ns(CLOCK_MONOTONIC) - before >= 1000000);
  ERRNO_OF("timer_gettime", "after it has fired", 0, timer_gettime(timer, &old));
  HOLDS("timer_gettime", "not armed any more", old.it_value.tv_sec == 0 && old.it_value.tv_nsec == 0);
  pause_ms(5);
  VALUE_OF("timer_settime", "one shot fires once", 1, fired);
  set = times(60000, 0);
  timer_settime(timer, 0, &set, nullptr);
  timer_gettime(timer, &old);
  HOLDS("timer_gettime", "armed for a minute", old.it_value.tv_sec > 50 && old.it_value.tv_sec <= 60);
  set = times(0, 0);
  ERRNO_OF("timer_settime", "disarm", 0, timer_settime(timer, 0, &set, &old));
  HOLDS("timer_settime", "says how much was left", old.it_value.tv_sec > 50);
  set = times(2, 2);
  timer_settime(timer, 0, &set, nullptr);
  wait_for(4);
  HOLDS("timer_settime", "an interval fires again", fired >= 4);
  timer_gettime(timer, &old);
  VALUE_OF("timer_gettime", "the interval", 2000000, old.it_interval.tv_nsec);
  HOLDS("timer_getoverrun", "not negative", timer_getoverrun(timer) >= 0);
  ERRNO_OF("timer_delete", "armed", 0, timer_delete(timer));
  ERRNO_OF("timer_settime", "a billion nanoseconds", EINVAL, [] {
    timer_t own;
    sigevent silent = {};
    silent.sigev_notify = SIGEV_NONE;
    timer_create(CLOCK_MONOTONIC, &silent, &own);
    itimerspec wrong = {};
    wrong.it_value = kTooManyNanoseconds;
    const int result = timer_settime(own, 0, &wrong, nullptr), error = errno;
    timer_delete(own);
    errno = error;
    return result;
  }());
  event.sigev_notify = 77;
  ERRNO_OF("timer_create", "no such way", EINVAL, timer_create(CLOCK_MONOTONIC, &event, &timer));
  event.sigev_notify = SIGEV_SIGNAL;
  ERRNO_OF("timer_create", "no such clock", EINVAL, timer_create(77, &event, &timer));
  ERRNO_OF("timer_create", "a coarse clock", ENOTSUP, timer_create(CLOCK_MONOTONIC_COARSE, &event, &timer));
  event.sigev_signo = 65;
  ERRNO_OF("timer_create", "no such signal", EINVAL, timer_create(CLOCK_MONOTONIC, &event, &timer));
  event.sigev_signo = SIGRTMIN;
  event.sigev_notify = SIGEV_THREAD_ID;
  event._sigev_un._tid = 1;
  ERRNO_OF("timer_create", "a thread of another process", EINVAL, timer_create(CLOCK_MONOTONIC, &event, &timer));
}

// A signal for one thread, which waits for it; the timer expires meanwhile.
void check_thread_and_overrun() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGRTMIN + 1);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  sigevent event = {};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = SIGRTMIN + 1;
  event.sigev_value.sival_int = 5;
  event._sigev_un._tid = gettid();
  timer_t timer;
  ERRNO_OF("timer_create", "for a thread", 0, timer_create(CLOCK_BOOTTIME, &event, &timer));
  const itimerspec set_to = times(1, 1);
  timer_settime(timer, 0, &set_to, nullptr);
  pause_ms(20);
  sigset_t waits;
  sigpending(&waits);
  VALUE_OF("timer_settime", "blocked, its signal waits", 1, sigismember(&waits, SIGRTMIN + 1));
  siginfo_t info = {};
  VALUE_OF("sigwaitinfo", "of a timer", SIGRTMIN + 1, sigwaitinfo(&set, &info));
  VALUE_OF("sigwaitinfo", "of a timer, the code", SI_TIMER, info.si_code);
  VALUE_OF("sigwaitinfo", "of a timer, the value", 5, info.si_value.sival_int);
  HOLDS("timer_getoverrun", "has expired often while its signal waited", timer_getoverrun(timer) >= 10);
  HOLDS("timer_getoverrun", "as the signal says", timer_getoverrun(timer) == info.si_overrun);
  ERRNO_OF("timer_delete", "for a thread", 0, timer_delete(timer));
  ERRNO_OF("timer_delete", "deleted already", EINVAL, timer_delete(timer));
  itimerspec left;
  ERRNO_OF("timer_gettime", "deleted already", EINVAL, timer_gettime(timer, &left));
  ERRNO_OF("timer_settime", "deleted already", EINVAL, timer_settime(timer, 0, &set_to, nullptr));
  ERRNO_OF("timer_getoverrun", "deleted already", EINVAL, timer_getoverrun(timer));
}

void check_wrong_pointers() {
  timer_t timer;
  ERRNO_OF("timer_create", "no event", 0, timer_create(CLOCK_MONOTONIC, nullptr, &timer));
  ERRNO_OF("timer_settime", "no time", EINVAL, timer_settime(timer, 0, nullptr, nullptr));
  ERRNO_OF("timer_settime", "a wild pointer", EFAULT, timer_settime(timer, 0, (itimerspec*)kWild, nullptr));
  ERRNO_OF("timer_gettime", "a wild pointer", EFAULT, timer_gettime(timer, (itimerspec*)kWild));
  timer_delete(timer);
}

void check_absolute_and_quiet() {
  sigevent silent = {};
  silent.sigev_notify = SIGEV_NONE;
  timer_t timer;
  ERRNO_OF("timer_create", "no notification", 0, timer_create(CLOCK_REALTIME, &silent, &timer));
  itimerspec set = {};
  set.it_value = after_ms(CLOCK_REALTIME, 60000);
  ERRNO_OF("timer_settime", "until a time", 0, timer_settime(timer, TIMER_ABSTIME, &set, nullptr));
  itimerspec left;
  timer_gettime(timer, &left);
  HOLDS("timer_gettime", "what is left until the time", left.it_value.tv_sec > 50 && left.it_value.tv_sec <= 60);
  VALUE_OF("timer_getoverrun", "has not fired", 0, timer_getoverrun(timer));
  ERRNO_OF("timer_delete", "no notification", 0, timer_delete(timer));
}

void check_thread_timer() {
  static Gate notified;
  static volatile sig_atomic_t given;
  sigevent event = {};
  event.sigev_notify = SIGEV_THREAD;
  event.sigev_value.sival_int = 23;
  event.sigev_notify_function = [](sigval value) {
    given = value.sival_int;
    notified.open();
  };
  timer_t timer;
  ERRNO_OF("timer_create", "a thread", 0, timer_create(CLOCK_MONOTONIC, &event, &timer));
  const itimerspec set = times(3, 0);
  ERRNO_OF("timer_settime", "a thread, three milliseconds", 0, timer_settime(timer, 0, &set, nullptr));
  notified.pass();
  VALUE_OF("timer_create", "the value that the thread gets", 23, given);
  ERRNO_OF("timer_delete", "a thread", 0, timer_delete(timer));
}

// The signal may come before the sleep.
unsigned left_of_interrupted_sleep() {
  for (;;) {
    alarm(1);
    if (const unsigned left = sleep(60); left != 0) return left;
  }
}

void check_alarm() {
  on(SIGALRM);
  fired = 0;
  VALUE_OF("alarm", "none before", 0, alarm(60));
  HOLDS("alarm", "what was left of the one before", alarm(1) > 50);
  wait_for(1);
  VALUE_OF("alarm", "it fires once", 1, fired);
  VALUE_OF("alarm", "nothing is left after it has fired", 0, alarm(0));
  HOLDS("alarm", "interrupts a sleep", left_of_interrupted_sleep() > 50);
  fired = 0;
  itimerval set = {{0, 0}, {0, 3000}}, old;
  ERRNO_OF("setitimer", "real time", 0, setitimer(ITIMER_REAL, &set, &old));
  wait_for(1);
  VALUE_OF("setitimer", "fires once", 1, fired);
  set = {{0, 2000}, {0, 2000}};
  setitimer(ITIMER_REAL, &set, nullptr);
  wait_for(4);
  HOLDS("setitimer", "an interval fires again", fired >= 4);
  ERRNO_OF("getitimer", "real time", 0, getitimer(ITIMER_REAL, &old));
  VALUE_OF("getitimer", "the interval", 2000, old.it_interval.tv_usec);
  set = {};
  ERRNO_OF("setitimer", "disarm", 0, setitimer(ITIMER_REAL, &set, &old));
  VALUE_OF("setitimer", "the interval from before", 2000, old.it_interval.tv_usec);
  getitimer(ITIMER_REAL, &old);
  VALUE_OF("getitimer", "disarmed", 0, old.it_value.tv_sec * 1000000 + old.it_value.tv_usec);
  ERRNO_OF("setitimer", "no such timer", EINVAL, setitimer(static_cast<__itimer_which>(77), &set, nullptr));
  set.it_value.tv_usec = 1000000;
  ERRNO_OF("setitimer", "a million microseconds", EINVAL, setitimer(ITIMER_REAL, &set, nullptr));
  ERRNO_OF("getitimer", "no such timer", EINVAL, getitimer(static_cast<__itimer_which>(77), &old));
  fired = 0;
  VALUE_OF("ualarm", "none before", 0, ualarm(3000, 0));
  wait_for(1);
  VALUE_OF("ualarm", "fires once", 1, fired);
}

void check_descriptors() {
  static int timer = timerfd_create(CLOCK_MONOTONIC, 0);
  uint64_t count = 0;
  HOLDS("timerfd_create", "monotonic", timer >= 0);
  ERRNO_OF("timerfd_create", "no such clock", EINVAL, timerfd_create(77, 0));
  ERRNO_OF("timerfd_create", "flags that are none", EINVAL, timerfd_create(CLOCK_MONOTONIC, 0x77));
  itimerspec set = times(3, 0), old = {};
  ERRNO_OF("timerfd_settime", "three milliseconds", 0, timerfd_settime(timer, 0, &set, &old));
  VALUE_OF("read", "timerfd, waits until it fires", 8, read(timer, &count, 8));
  VALUE_OF("timerfd_settime", "one shot fires once", 1, count);
  set = times(60000, 0);
  timerfd_settime(timer, 0, &set, nullptr);
  ERRNO_OF("timerfd_gettime", "armed", 0, timerfd_gettime(timer, &old));
  HOLDS("timerfd_gettime", "what is left", old.it_value.tv_sec > 50 && old.it_value.tv_sec <= 60);
  fcntl(timer, F_SETFL, O_NONBLOCK);
  ERRNO_OF("read", "timerfd, has not fired, does not block", EAGAIN, read(timer, &count, 8));
  pollfd wait = {timer, POLLIN, 0};
  VALUE_OF("poll", "timerfd, has not fired", 0, poll(&wait, 1, 0));
  set = times(2, 0);
  timerfd_settime(timer, 0, &set, &old);
  HOLDS("timerfd_settime", "says how much was left", old.it_value.tv_sec > 50);
  VALUE_OF("poll", "timerfd, waits until it fires", 1, poll(&wait, 1, 60000));
  VALUE_OF("read", "timerfd, has fired", 8, read(timer, &count, 8));
  ERRNO_OF("read", "timerfd, fewer than eight bytes", EINVAL, read(timer, &count, 4));
  set = {};
  set.it_value = after_ms(CLOCK_MONOTONIC, 3);
  ERRNO_OF("timerfd_settime", "until a time", 0, timerfd_settime(timer, TFD_TIMER_ABSTIME, &set, nullptr));
  fcntl(timer, F_SETFL, 0);
  Thread waiter([] {
    uint64_t own = 0;
    return read(timer, &own, 8) == 8 ? static_cast<int>(own) : -1;
  });
  VALUE_OF("read", "timerfd, in another thread", 1, waiter.result());
  set.it_value = kTooManyNanoseconds;
  ERRNO_OF("timerfd_settime", "a billion nanoseconds", EINVAL, timerfd_settime(timer, 0, &set, nullptr));
  close(timer);
  ERRNO_OF("timerfd_settime", "a closed descriptor", EBADF, timerfd_settime(timer, 0, &old, nullptr));
  ERRNO_OF("timerfd_gettime", "no timer", EINVAL, timerfd_gettime(0, &old));
}

}  // namespace

int main() {
  begin_checks();
  check_signal_timers();
  check_thread_and_overrun();
  check_wrong_pointers();
  check_absolute_and_quiet();
  check_thread_timer();
  check_alarm();
  check_descriptors();
  return end_checks();
}
