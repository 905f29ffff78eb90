// Waiting for signals, and waits that a signal interrupts.
// sigpause() is deprecated, and is called here.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#include <signal.h>
#include <sys/syscall.h>

#include "check.h"

namespace {

volatile sig_atomic_t handled;

void note(int) { handled = handled + 1; }

void on(int number, int flags) {
  struct sigaction action = {};
  action.sa_handler = note;
  action.sa_flags = flags;
  sigaction(number, &action, nullptr);
}

sigset_t only(int number) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, number);
  return set;
}

// Runs `wait` in another thread and sends it SIGUSR1 until it has ended. Gives its result: 0 or an error number.
template <class Wait>
int interrupted(Wait wait) {
  bool ended = false;
  Thread waiter([&] {
    const int result = wait();
    __atomic_store_n(&ended, true, __ATOMIC_SEQ_CST);
    return result;
  });
  while (!__atomic_load_n(&ended, __ATOMIC_SEQ_CST)) {
    pthread_kill(waiter.handle(), SIGUSR1);
    pause_ms(1);
  }
  return waiter.result();
}

template <class Call>
int errno_of(Call call) {
  errno = 0;
  return call() == -1 ? errno : 0;
}

void check_interrupted_waits() {
  on(SIGUSR1, 0);
  sem_t semaphore;
  sem_init(&semaphore, 0, 0);
  const timespec later = after_ms(CLOCK_REALTIME, 60000), monotonic = after_ms(CLOCK_MONOTONIC, 60000);
  const timespec minute = {60, 0};
  ERROR_OF("sem_wait", "a signal whose handler runs", EINTR,
           interrupted([&] { return errno_of([&] { return sem_wait(&semaphore); }); }));
  ERROR_OF("sem_timedwait", "a signal whose handler runs", EINTR,
           interrupted([&] { return errno_of([&] { return sem_timedwait(&semaphore, &later); }); }));
  ERROR_OF("sem_clockwait", "a signal whose handler runs", EINTR, interrupted([&] {
             return errno_of([&] { return sem_clockwait(&semaphore, CLOCK_MONOTONIC, &monotonic); });
           }));
  ERROR_OF("nanosleep", "a signal whose handler runs", EINTR,
           interrupted([&] { return errno_of([&] { return nanosleep(&minute, nullptr); }); }));
  timespec left = {};
  interrupted([&] { return nanosleep(&minute, &left); });
  HOLDS("nanosleep", "interrupted, says how much is left", left.tv_sec > 0 && left.tv_sec <= 60);
  ERROR_OF("clock_nanosleep", "a signal whose handler runs", EINTR,
           interrupted([&] { return clock_nanosleep(CLOCK_MONOTONIC, 0, &minute, nullptr); }));
  ERROR_OF("clock_nanosleep", "until a time, a signal whose handler runs", EINTR,
           interrupted([&] { return clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &monotonic, nullptr); }));
  ERROR_OF("usleep", "a signal whose handler runs", EINTR,
           interrupted([&] { return errno_of([&] { return usleep(60000000); }); }));
  HOLDS("sleep", "interrupted, the seconds that are left", interrupted([] { return static_cast<int>(sleep(60)); }) > 0);
  ERROR_OF("pause", "a signal whose handler runs", EINTR, interrupted([] { return errno_of([] { return pause(); }); }));
  ERROR_OF("sigpause", "a signal that it lets through", EINTR, interrupted([] {
             sigset_t blocked = only(SIGUSR1);
             pthread_sigmask(SIG_BLOCK, &blocked, nullptr);
             return errno_of([] { return sigpause(SIGUSR1); });
           }));
  VALUE_OF("sigpause", "the mask is the one from before then", 1, interrupted([] {
             sigset_t blocked = only(SIGUSR1), now;
             pthread_sigmask(SIG_BLOCK, &blocked, nullptr);
             sigpause(SIGUSR1);
             pthread_sigmask(SIG_BLOCK, nullptr, &now);
             return sigismember(&now, SIGUSR1);
           }));
  ERRNO_OF("sigpause", "no such signal", EINVAL, sigpause(999));
  ERROR_OF("pause", "past libc, a signal whose handler runs", EINTR,
           interrupted([] { return errno_of([] { return syscall(SYS_pause); }); }));
  ERROR_OF("sigsuspend", "past libc, a signal whose handler runs", EINTR, interrupted([] {
             const unsigned long nothing_blocked = 0;
             return errno_of([&] { return syscall(SYS_rt_sigsuspend, &nothing_blocked, sizeof nothing_blocked); });
           }));
  VALUE_OF("sigtimedwait", "past libc, a signal that comes", SIGUSR1, interrupted([] {
             sigset_t set = only(SIGUSR1);
             pthread_sigmask(SIG_BLOCK, &set, nullptr);
             return static_cast<int>(syscall(SYS_rt_sigtimedwait, &set, nullptr, nullptr, 8));
           }));
  handled = 0;
  interrupted([] { return pause(); });
  HOLDS("pause", "the handler has run when it returns", handled > 0);
  sem_destroy(&semaphore);
}

void check_restarted_waits() {
  on(SIGUSR1, SA_RESTART);
  static sem_t semaphore;
  sem_init(&semaphore, 0, 0);
  handled = 0;
  Thread waiter([] { return errno_of([] { return sem_wait(&semaphore); }); });
  while (handled < 3) {
    pthread_kill(waiter.handle(), SIGUSR1);
    pause_ms(1);
  }
  sem_post(&semaphore);
  ERROR_OF("sem_wait", "signals whose action restarts", 0, waiter.result());
  on(SIGUSR1, 0);
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&mutex);
  handled = 0;
  Thread locker([] { return pthread_mutex_lock(&mutex) + pthread_mutex_unlock(&mutex); });
  while (handled < 3) {
    pthread_kill(locker.handle(), SIGUSR1);
    pause_ms(1);
  }
  pthread_mutex_unlock(&mutex);
  ERROR_OF("pthread_mutex_lock", "signals do not interrupt it", 0, locker.result());
  static Gate go;
  static Thread slow([] { return go.pass(), 0; });
  handled = 0;
  Thread joiner([] { return pthread_join(slow.handle(), nullptr); });
  while (handled < 3) {
    pthread_kill(joiner.handle(), SIGUSR1);
    pause_ms(1);
  }
  go.open();
  ERROR_OF("pthread_join", "signals do not interrupt it", 0, joiner.result());
  static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
  static bool set = false;
  handled = 0;
  Thread conditional([] {
    int error = 0;
    pthread_mutex_lock(&mutex);
    while (!set && error == 0) error = pthread_cond_wait(&condition, &mutex);
    pthread_mutex_unlock(&mutex);
    return error;
  });
  while (handled < 3) {
    pthread_kill(conditional.handle(), SIGUSR1);
    pause_ms(1);
  }
  pthread_mutex_lock(&mutex);
  set = true;
  pthread_cond_signal(&condition);
  pthread_mutex_unlock(&mutex);
  ERROR_OF("pthread_cond_wait", "signals never give an error", 0, conditional.result());
}

void check_sigwait() {
  sigset_t set = only(SIGUSR2), pending;
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  int number = 0;
  raise(SIGUSR2);
  ERROR_OF("sigwait", "a pending signal", 0, sigwait(&set, &number));
  VALUE_OF("sigwait", "which one", SIGUSR2, number);
  sigpending(&pending);
  VALUE_OF("sigwait", "takes it from the pending ones", 0, sigismember(&pending, SIGUSR2));
  Thread waiter([&] {
    int seen = 0;
    return sigwait(&set, &seen) == 0 ? seen : -1;
  });
  ERROR_OF("pthread_kill", "a thread that is in sigwait", 0, pthread_kill(waiter.handle(), SIGUSR2));
  VALUE_OF("sigwait", "a signal from another thread", SIGUSR2, waiter.result());
  siginfo_t information = {};
  raise(SIGUSR2);
  VALUE_OF("sigwaitinfo", "a pending signal", SIGUSR2, sigwaitinfo(&set, &information));
  HOLDS("sigwaitinfo", "who sent it", information.si_pid == getpid());
  sigval value;
  value.sival_int = 33;
  sigqueue(getpid(), SIGUSR2, value);
  VALUE_OF("sigwaitinfo", "a queued signal", SIGUSR2, sigwaitinfo(&set, &information));
  VALUE_OF("sigwaitinfo", "its value", 33, information.si_value.sival_int);
  const timespec none = {0, 0}, moment = {0, 5000000}, minute = {60, 0};
  ERRNO_OF("sigtimedwait", "nothing pending, no time", EAGAIN, sigtimedwait(&set, &information, &none));
  ERRNO_OF("sigtimedwait", "nothing pending until the time is over", EAGAIN, sigtimedwait(&set, &information, &moment));
  ERRNO_OF("sigtimedwait", "a billion nanoseconds", EINVAL, sigtimedwait(&set, &information, &kTooManyNanoseconds));
  raise(SIGUSR2);
  VALUE_OF("sigtimedwait", "a pending signal", SIGUSR2, sigtimedwait(&set, &information, &minute));
  on(SIGUSR1, 0);
  ERROR_OF("sigtimedwait", "another signal's handler runs", EINTR,
           interrupted([&] { return errno_of([&] { return sigtimedwait(&set, nullptr, &minute); }); }));
  ERROR_OF("sigwaitinfo", "another signal's handler runs", EINTR,
           interrupted([&] { return errno_of([&] { return sigwaitinfo(&set, nullptr); }); }));
}

void check_sigsuspend() {
  on(SIGUSR1, 0);
  sigset_t set = only(SIGUSR1), none, now;
  sigemptyset(&none);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  handled = 0;
  raise(SIGUSR1);
  ERRNO_OF("sigsuspend", "a pending signal", EINTR, sigsuspend(&none));
  VALUE_OF("sigsuspend", "its handler has run", 1, handled);
  pthread_sigmask(SIG_BLOCK, nullptr, &now);
  VALUE_OF("sigsuspend", "the mask is as before", 1, sigismember(&now, SIGUSR1));
  Thread waiter([&] { return errno_of([&] { return sigsuspend(&none); }); });
  pthread_kill(waiter.handle(), SIGUSR1);
  ERROR_OF("sigsuspend", "a signal from another thread", EINTR, waiter.result());
  VALUE_OF("sigsuspend", "the handler has run in the other thread", 2, handled);
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

}  // namespace

int main() {
  begin_checks();
  check_interrupted_waits();
  check_restarted_waits();
  check_sigwait();
  check_sigsuspend();
  return end_checks();
}
