// Signals between the threads of a process: sending, masks, waiting, actions, and what they do to calls that wait.
#include <setjmp.h>
#include <signal.h>

#include <atomic>

#include "check.h"

namespace {

volatile sig_atomic_t handled = 0;
volatile sig_atomic_t last_code = 0, last_value = 0, last_from_self = 0;
pthread_t handled_by{};
int order[8], order_count = 0;
sigjmp_buf landing;

void on_signal(int) {
  handled = handled + 1;
  handled_by = pthread_self();
}
void on_ordered(int number) {
  if (order_count < 8) order[order_count++] = number;
}
void on_information(int, siginfo_t* info, void* context) {
  last_code = info->si_code;
  last_value = info->si_value.sival_int;
  last_from_self = info->si_pid == getpid() && context != nullptr;
}
void on_jump(int) { siglongjmp(landing, 7); }

void set_handler(int number, void (*handler)(int), int flags = 0, std::initializer_list<int> mask = {}) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  for (const int blocked : mask) sigaddset(&action.sa_mask, blocked);
  sigaction(number, &action, nullptr);
}

sigset_t set_of(std::initializer_list<int> numbers) {
  sigset_t set;
  sigemptyset(&set);
  for (const int number : numbers) sigaddset(&set, number);
  return set;
}

bool blocks(int number) {
  sigset_t now;
  pthread_sigmask(SIG_BLOCK, nullptr, &now);
  return sigismember(&now, number) == 1;
}
bool is_pending(int number) {
  sigset_t set;
  return sigpending(&set) == 0 && sigismember(&set, number) == 1;
}
int handled_after(int number, int (*send)(int)) {
  handled = 0;
  send(number);
  return handled;
}

void check_sending() {
  set_handler(SIGUSR1, on_signal);
  const pthread_t self = pthread_self();
  ERROR_OF("pthread_kill", "signal 0", 0, pthread_kill(self, 0));
  ERROR_OF("pthread_kill", "signal 99", EINVAL, pthread_kill(self, 99));
  ERROR_OF("pthread_kill", "to itself", 0, pthread_kill(self, SIGUSR1));
  VALUE_OF("pthread_kill", "to itself: handled before it returns", 2, handled_after(SIGUSR1, [](int number) {
             return pthread_kill(pthread_self(), number) + pthread_kill(pthread_self(), number);
           }));
  VALUE_OF("raise", "an ordinary signal", 0, raise(SIGUSR1));
  VALUE_OF("raise", "handled before it returns", 1, handled_after(SIGUSR1, raise));
  HOLDS("raise", "signal 99: fails with EINVAL", raise(99) != 0 && errno == EINVAL);
  ERRNO_OF("kill", "signal 0 to itself", 0, kill(getpid(), 0));
  ERRNO_OF("kill", "signal 99 to itself", EINVAL, kill(getpid(), 99));
  VALUE_OF("kill", "the only thread: handled before it returns", 1,
           handled_after(SIGUSR1, [](int number) { return kill(getpid(), number); }));
  ERRNO_OF("tgkill", "to itself", 0, tgkill(getpid(), gettid(), SIGUSR1));
  ERRNO_OF("tgkill", "signal 99", EINVAL, tgkill(getpid(), gettid(), 99));
  ERRNO_OF("tgkill", "thread 0", EINVAL, tgkill(getpid(), 0, SIGUSR1));
  ERRNO_OF("sigqueue", "signal 99", EINVAL, sigqueue(getpid(), 99, {}));
  ERROR_OF("pthread_sigqueue", "signal 99", EINVAL, pthread_sigqueue(self, 99, {}));
}

void check_information() {
  struct sigaction action {};
  action.sa_sigaction = on_information;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGUSR1, &action, nullptr);
  raise(SIGUSR1);
  VALUE_OF("raise", "si_code", SI_TKILL, last_code);
  HOLDS("raise", "si_pid, and there is a context", last_from_self);
  kill(getpid(), SIGUSR1);
  VALUE_OF("kill", "si_code", SI_USER, last_code);
  sigval value{};
  value.sival_int = 41;
  ERRNO_OF("sigqueue", "to itself", 0, sigqueue(getpid(), SIGUSR1, value));
  VALUE_OF("sigqueue", "si_code", SI_QUEUE, last_code);
  VALUE_OF("sigqueue", "si_value", 41, last_value);
  value.sival_int = 42;
  ERROR_OF("pthread_sigqueue", "to itself", 0, pthread_sigqueue(pthread_self(), SIGUSR1, value));
  VALUE_OF("pthread_sigqueue", "si_code", SI_QUEUE, last_code);
  VALUE_OF("pthread_sigqueue", "si_value", 42, last_value);
}

void check_masks() {
  set_handler(SIGUSR1, on_signal);
  sigset_t set = set_of({SIGUSR1}), old;
  ERROR_OF("pthread_sigmask", "SIG_BLOCK", 0, pthread_sigmask(SIG_BLOCK, &set, &old));
  HOLDS("pthread_sigmask", "the old mask", sigismember(&old, SIGUSR1) == 0);
  HOLDS("pthread_sigmask", "blocks", blocks(SIGUSR1));
  ERROR_OF("pthread_sigmask", "how 99", EINVAL, pthread_sigmask(99, &set, nullptr));
  ERROR_OF("pthread_sigmask", "how 99, no set", 0, pthread_sigmask(99, nullptr, &old));
  VALUE_OF("pthread_sigmask", "a blocked signal is not handled", 0, handled_after(SIGUSR1, raise));
  HOLDS("sigpending", "a blocked signal", is_pending(SIGUSR1));
  HOLDS("sigpending", "another one", !is_pending(SIGUSR2));
  raise(SIGUSR1);
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
  VALUE_OF("pthread_sigmask", "handled when unblocked, sent twice", 1, handled);
  HOLDS("sigpending", "after it was handled", !is_pending(SIGUSR1));
  ERRNO_OF("sigprocmask", "SIG_SETMASK", 0, sigprocmask(SIG_SETMASK, &set, nullptr));
  HOLDS("sigprocmask", "blocks", blocks(SIGUSR1));
  ERRNO_OF("sigprocmask", "how 99", EINVAL, sigprocmask(99, &set, nullptr));
  HOLDS("pthread_sigmask", "a new thread inherits it", elsewhere([] { return blocks(SIGUSR1) ? 1 : 0; }));
  HOLDS("pthread_sigmask", "another thread's change is its own",
        elsewhere([] {
          sigset_t none = set_of({});
          pthread_sigmask(SIG_SETMASK, &none, nullptr);
          return 1;
        }) &&
            blocks(SIGUSR1));
  set = set_of({SIGKILL, SIGSTOP});
  sigprocmask(SIG_SETMASK, &set, nullptr);
  HOLDS("sigprocmask", "SIGKILL and SIGSTOP are never blocked", !blocks(SIGKILL) && !blocks(SIGSTOP));
  ERRNO_OF("sigpending", "in a new thread", 0, elsewhere([] { return is_pending(SIGUSR1) ? -1 : 0; }));
  set = set_of({});
  sigprocmask(SIG_SETMASK, &set, nullptr);
}

void check_actions() {
  struct sigaction action {
  }, old{};
  action.sa_handler = on_signal;
  ERRNO_OF("sigaction", "a handler", 0, sigaction(SIGUSR2, &action, nullptr));
  ERRNO_OF("sigaction", "asks", 0, sigaction(SIGUSR2, nullptr, &old));
  HOLDS("sigaction", "tells what was set", old.sa_handler == on_signal);
  ERRNO_OF("sigaction", "SIGKILL", EINVAL, sigaction(SIGKILL, &action, nullptr));
  ERRNO_OF("sigaction", "signal 99", EINVAL, sigaction(99, &action, nullptr));
  HOLDS("signal", "gives the handler before", signal(SIGUSR2, SIG_IGN) == on_signal);
  VALUE_OF("signal", "SIG_IGN: raise goes on", 0, raise(SIGUSR2));
  HOLDS("signal", "SIGKILL", signal(SIGKILL, SIG_IGN) == SIG_ERR && errno == EINVAL);
  set_handler(SIGUSR2, on_signal, SA_RESETHAND);
  raise(SIGUSR2);
  sigaction(SIGUSR2, nullptr, &old);
  HOLDS("sigaction", "SA_RESETHAND: the default again", old.sa_handler == SIG_DFL);
  set_handler(SIGUSR2, [](int) { handled = blocks(SIGUSR2) + 2 * blocks(SIGUSR1); }, 0, {SIGUSR1});
  VALUE_OF("sigaction", "blocked in the handler: itself and sa_mask", 3, handled_after(SIGUSR2, raise));
  HOLDS("sigaction", "not blocked behind the handler", !blocks(SIGUSR1) && !blocks(SIGUSR2));
  set_handler(
      SIGUSR2, [](int) { handled = blocks(SIGUSR2) + 2 * blocks(SIGUSR1); }, SA_NODEFER);
  VALUE_OF("sigaction", "SA_NODEFER: nothing is blocked", 0, handled_after(SIGUSR2, raise));
  VALUE_OF("raise", "SIGCHLD by default is ignored", 0, raise(SIGCHLD));
  set_handler(SIGUSR2, on_jump);
  if (const int value = sigsetjmp(landing, 1); value == 0)
    raise(SIGUSR2);
  else
    VALUE_OF("raise", "a handler that jumps out", 7, value);
  HOLDS("raise", "the mask after siglongjmp", !blocks(SIGUSR2));
}

void check_order() {
  const int numbers[] = {SIGUSR1, SIGUSR2, SIGRTMIN, SIGRTMIN + 1};
  sigset_t set = set_of({SIGUSR1, SIGUSR2, SIGRTMIN, SIGRTMIN + 1});
  for (const int number : numbers) set_handler(number, on_ordered);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  for (const int number : {1, 0, 3, 2, 2, 0}) raise(numbers[number]);
  order_count = 0;
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
  VALUE_OF("raise", "standard signals merge, real-time ones queue", 5, order_count);
  HOLDS("pthread_sigmask", "several at once: the last frame runs first",
        order[0] == SIGRTMIN + 1 && order[1] == SIGRTMIN && order[3] == SIGUSR2 && order[4] == SIGUSR1);
  set_handler(SIGRTMIN, [](int) { on_ordered(pthread_sigqueue(pthread_self(), SIGRTMIN + 1, {})); });
  set_handler(SIGRTMIN + 1, on_ordered);
  order_count = 0;
  raise(SIGRTMIN);
  HOLDS("pthread_sigqueue", "a handler in a handler", order_count == 2 && order[0] == SIGRTMIN + 1 && order[1] == 0);
}

void check_waiting_for_signals() {
  sigset_t set = set_of({SIGUSR1, SIGRTMIN});
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  int number = 0;
  raise(SIGUSR1);
  ERROR_OF("sigwait", "one is pending", 0, sigwait(&set, &number));
  VALUE_OF("sigwait", "gives its number", SIGUSR1, number);
  siginfo_t info{};
  timespec none{}, some{0, 5000000};
  ERRNO_OF("sigtimedwait", "none, no time", EAGAIN, sigtimedwait(&set, &info, &none));
  ERRNO_OF("sigtimedwait", "none comes", EAGAIN, sigtimedwait(&set, &info, &some));
  ERRNO_OF("sigtimedwait", "a billion nanoseconds", EINVAL, sigtimedwait(&set, &info, &kTooManyNanoseconds));
  sigval value{};
  for (value.sival_int = 1; value.sival_int <= 2; ++value.sival_int) sigqueue(getpid(), SIGRTMIN, value);
  VALUE_OF("sigwaitinfo", "one of the process's", SIGRTMIN, sigwaitinfo(&set, &info));
  VALUE_OF("sigwaitinfo", "the first that was queued", 1, info.si_value.sival_int);
  VALUE_OF("sigtimedwait", "the second", SIGRTMIN, sigtimedwait(&set, &info, &none));
  VALUE_OF("sigtimedwait", "its value", 2, info.si_value.sival_int);
  raise(SIGUSR1);
  sigwaitinfo(&set, &info);
  VALUE_OF("sigwaitinfo", "raise: si_code as glibc shows it", SI_USER, info.si_code);
  VALUE_OF("sigwait", "another thread sends it to the process", SIGUSR1, [&] {
    Thread sender([] { return kill(getpid(), SIGUSR1); });
    sigwait(&set, &number);
    sender.result();
    return number;
  }());
  const pthread_t self = pthread_self();
  VALUE_OF("sigwaitinfo", "another thread sends it to this one", SIGUSR1, [&] {
    Thread sender([self] { return pthread_kill(self, SIGUSR1); });
    const int result = sigwaitinfo(&set, &info);
    sender.result();
    return result;
  }());
  set_handler(SIGUSR2, on_signal);
  ERRNO_OF("sigwaitinfo", "a handler of another signal runs", EINTR, [&] {
    std::atomic<bool> over = false;
    Thread sender([self, &over] {
      while (!over) pthread_kill(self, SIGUSR2), pause_ms(1);
      return 0;
    });
    const int result = sigwaitinfo(&set, &info);
    const int error = errno;
    over = true;
    sender.result();
    errno = error;
    return result;
  }());
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

// Sends signals to the calling thread until it has what it waits for.
template <class Wait>
int interrupted(Wait wait) {
  const pthread_t self = pthread_self();
  std::atomic<bool> over = false;
  Thread sender([self, &over] {
    while (!over) pthread_kill(self, SIGUSR1), pause_ms(1);
    return 0;
  });
  errno = 0;
  const int result = wait();
  const int error = errno;
  over = true;
  sender.result();
  errno = error;
  return result;
}

void check_suspending() {
  set_handler(SIGUSR1, on_signal);
  ERRNO_OF("pause", "a handler runs", EINTR, interrupted([] { return pause(); }));
  handled = 0;
  ERRNO_OF("pause", "again", EINTR, interrupted([] { return pause(); }));
  HOLDS("pause", "the handler has run", handled > 0);
  sigset_t set = set_of({SIGUSR1}), empty = set_of({});
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  raise(SIGUSR1);
  handled = 0;
  ERRNO_OF("sigsuspend", "one is pending", EINTR, sigsuspend(&empty));
  VALUE_OF("sigsuspend", "it was handled", 1, handled);
  HOLDS("sigsuspend", "the mask is as before", blocks(SIGUSR1));
  ERRNO_OF("sigsuspend", "one comes from another thread", EINTR, [&] {
    const pthread_t self = pthread_self();
    Thread sender([self] { return pthread_kill(self, SIGUSR1); });
    const int result = sigsuspend(&empty);
    const int error = errno;
    sender.result();
    errno = error;
    return result;
  }());
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

void check_interrupted_waits() {
  static sem_t semaphore;
  sem_init(&semaphore, 0, 0);
  set_handler(SIGUSR1, on_signal);
  ERRNO_OF("sem_wait", "a handler runs", EINTR, interrupted([] { return sem_wait(&semaphore); }));
  const timespec late = after_ms(CLOCK_REALTIME, 3600000);
  ERRNO_OF("sem_timedwait", "a handler runs", EINTR, interrupted([&] { return sem_timedwait(&semaphore, &late); }));
  timespec hour{3600, 0}, rest{};
  ERRNO_OF("nanosleep", "a handler runs", EINTR, interrupted([&] { return nanosleep(&hour, &rest); }));
  HOLDS("nanosleep", "a handler runs: the rest", rest.tv_sec > 3500 && rest.tv_sec < 3600);
  ERROR_OF("clock_nanosleep", "a handler runs", EINTR,
           interrupted([&] { return clock_nanosleep(CLOCK_MONOTONIC, 0, &hour, &rest); }));
  HOLDS("sleep", "a handler runs: the rest", interrupted([] { return static_cast<int>(sleep(3600)); }) > 3500);
  ERRNO_OF("usleep", "a handler runs", EINTR, interrupted([] { return usleep(999999999); }));
  set_handler(
      SIGUSR1, [](int) { sem_post(&semaphore); }, SA_RESTART);
  ERRNO_OF("sem_wait", "SA_RESTART: goes on until the handler posts", 0,
           interrupted([] { return sem_wait(&semaphore); }));
  set_handler(SIGUSR1, on_signal);
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
  pthread_mutex_lock(&mutex);
  timespec soon = after_ms(CLOCK_REALTIME, 50);
  ERROR_OF("pthread_cond_timedwait", "handlers run: no EINTR", ETIMEDOUT,
           interrupted([&] { return pthread_cond_timedwait(&condition, &mutex, &soon); }));
  pthread_mutex_unlock(&mutex);
  static volatile sig_atomic_t elsewhere_handled = 0;
  set_handler(SIGUSR1, [](int) { elsewhere_handled = 1; });
  pthread_mutex_lock(&mutex);
  Thread locker([] { return pthread_mutex_lock(&mutex) + pthread_mutex_unlock(&mutex); });
  while (elsewhere_handled == 0) pthread_kill(locker.handle(), SIGUSR1), pause_ms(1);
  pthread_mutex_unlock(&mutex);
  ERROR_OF("pthread_mutex_lock", "a handler runs", 0, locker.result());
  Gate gate;
  Thread receiver([&] {
    gate.pass();
    return 0;
  });
  pthread_t other = receiver.handle();
  set_handler(SIGUSR1, on_signal);
  handled_by = {};
  pthread_kill(other, SIGUSR1);
  while (handled_by == pthread_t{}) pause_ms(1);
  HOLDS("pthread_kill", "to another thread: it runs there", pthread_equal(handled_by, other) != 0);
  gate.open();
  receiver.result();
  sem_destroy(&semaphore);
}

}  // namespace

int main() {
  begin_checks();
  check_sending();
  check_information();
  check_masks();
  check_actions();
  check_order();
  check_waiting_for_signals();
  check_suspending();
  check_interrupted_waits();
  return end_checks();
}
