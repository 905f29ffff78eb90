// Signals between threads: who gets them, masks, handlers, interrupted waits.
#include <setjmp.h>
#include <signal.h>
#include <sys/syscall.h>

#include "check.h"

namespace {

volatile sig_atomic_t handled;
volatile sig_atomic_t value_seen;
pthread_t handled_by;

void note(int) {
  handled_by = pthread_self();
  handled = handled + 1;
}

void note_value(int, siginfo_t* information, void*) {
  value_seen = information->si_value.sival_int;
  handled = handled + 1;
}

void on(int number, void (*handler)(int), int flags = 0) {
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  sigaction(number, &action, nullptr);
}

void check_actions() {
  struct sigaction action = {}, old;
  action.sa_handler = note;
  sigemptyset(&action.sa_mask);
  ERRNO_OF("sigaction", "a handler", 0, sigaction(SIGUSR1, &action, &old));
  HOLDS("sigaction", "the default was set before", old.sa_handler == SIG_DFL);
  ERRNO_OF("sigaction", "asks for it", 0, sigaction(SIGUSR1, nullptr, &old));
  HOLDS("sigaction", "the handler that was set", old.sa_handler == note);
  ERRNO_OF("sigaction", "SIGKILL", EINVAL, sigaction(SIGKILL, &action, nullptr));
  ERRNO_OF("sigaction", "SIGSTOP", EINVAL, sigaction(SIGSTOP, &action, nullptr));
  ERRNO_OF("sigaction", "no such number", EINVAL, sigaction(999, &action, nullptr));
  HOLDS("signal", "gives the handler from before", signal(SIGUSR1, SIG_IGN) == note);
  HOLDS("signal", "ignored before", signal(SIGUSR1, SIG_DFL) == SIG_IGN);
  errno = 0;
  HOLDS("signal", "SIGKILL", signal(SIGKILL, note) == SIG_ERR && errno == EINVAL);
}

void check_raise() {
  on(SIGUSR1, note);
  handled = 0;
  ERRNO_OF("raise", "a handled signal", 0, raise(SIGUSR1));
  VALUE_OF("raise", "the handler has run when it returns", 1, handled);
  HOLDS("raise", "in the thread that called it", pthread_equal(handled_by, pthread_self()) != 0);
  static pthread_t thread;
  elsewhere([] { return thread = pthread_self(), raise(SIGUSR1); });
  VALUE_OF("raise", "in another thread", 2, handled);
  HOLDS("raise", "in another thread it runs there", pthread_equal(handled_by, thread) != 0);
  ERRNO_OF("raise", "no such number", EINVAL, raise(999));
  on(SIGUSR1, SIG_IGN);
  ERRNO_OF("raise", "an ignored signal", 0, raise(SIGUSR1));
  VALUE_OF("raise", "an ignored signal runs nothing", 2, handled);
  on(SIGUSR1, note);
}

void check_thread_kill() {
  handled = 0;
  ERROR_OF("pthread_kill", "itself", 0, pthread_kill(pthread_self(), SIGUSR1));
  VALUE_OF("pthread_kill", "itself, the handler has run", 1, handled);
  ERROR_OF("pthread_kill", "itself, no signal", 0, pthread_kill(pthread_self(), 0));
  ERROR_OF("pthread_kill", "itself, no such number", EINVAL, pthread_kill(pthread_self(), 999));
  Gate go;
  Thread waiter([&] { return go.pass(), 0; });
  ERROR_OF("pthread_kill", "another thread, no signal", 0, pthread_kill(waiter.handle(), 0));
  ERROR_OF("pthread_kill", "another thread, no such number", EINVAL, pthread_kill(waiter.handle(), 999));
  handled = 0;
  ERROR_OF("pthread_kill", "another thread", 0, pthread_kill(waiter.handle(), SIGUSR1));
  while (handled == 0) sched_yield();
  HOLDS("pthread_kill", "another thread, the handler runs there", pthread_equal(handled_by, waiter.handle()) != 0);
  go.open();
  waiter.result();
  VALUE_OF("pthread_kill", "another thread, once", 1, handled);
}

void check_masks() {
  sigset_t set, old, pending;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  ERROR_OF("pthread_sigmask", "block", 0, pthread_sigmask(SIG_BLOCK, &set, &old));
  VALUE_OF("pthread_sigmask", "was not blocked before", 0, sigismember(&old, SIGUSR1));
  ERROR_OF("pthread_sigmask", "no such way", EINVAL, pthread_sigmask(999, &set, nullptr));
  ERROR_OF("pthread_sigmask", "asks only", 0, pthread_sigmask(SIG_BLOCK, nullptr, &old));
  VALUE_OF("pthread_sigmask", "is blocked now", 1, sigismember(&old, SIGUSR1));
  handled = 0;
  raise(SIGUSR1);
  VALUE_OF("raise", "a blocked signal does not run its handler", 0, handled);
  ERRNO_OF("sigpending", "a blocked signal was raised", 0, sigpending(&pending));
  VALUE_OF("sigpending", "the blocked signal", 1, sigismember(&pending, SIGUSR1));
  VALUE_OF("sigpending", "another signal", 0, sigismember(&pending, SIGUSR2));
  VALUE_OF("pthread_sigmask", "a new thread inherits it", 1, elsewhere([] {
             sigset_t own;
             pthread_sigmask(SIG_BLOCK, nullptr, &own);
             return sigismember(&own, SIGUSR1);
           }));
  VALUE_OF("sigpending", "in another thread, what was raised here", 0, elsewhere([] {
             sigset_t own;
             sigpending(&own);
             return sigismember(&own, SIGUSR1);
           }));
  ERROR_OF("pthread_sigmask", "unblock", 0, pthread_sigmask(SIG_UNBLOCK, &set, nullptr));
  VALUE_OF("pthread_sigmask", "the pending signal runs its handler", 1, handled);
  elsewhere([] {
    sigset_t all;
    sigfillset(&all);
    return pthread_sigmask(SIG_SETMASK, &all, nullptr);
  });
  pthread_sigmask(SIG_BLOCK, nullptr, &old);
  VALUE_OF("pthread_sigmask", "another thread's mask is its own", 0, sigismember(&old, SIGUSR2));
  ERRNO_OF("sigprocmask", "block", 0, sigprocmask(SIG_BLOCK, &set, nullptr));
  raise(SIGUSR1);
  raise(SIGUSR1);
  ERRNO_OF("sigprocmask", "set to none", 0, (sigemptyset(&set), sigprocmask(SIG_SETMASK, &set, nullptr)));
  VALUE_OF("sigprocmask", "two of a blocked standard signal are one", 2, handled);
  ERRNO_OF("sigprocmask", "no such way", EINVAL, sigprocmask(999, &set, nullptr));
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

// What came while it was blocked is handled before the call returns that unblocks it.
void check_old_masks() {
  on(SIGUSR1, note);
  handled = 0;
  ERRNO_OF("sighold", "blocks", 0, sighold(SIGUSR1));
  raise(SIGUSR1);
  VALUE_OF("sighold", "the handler does not run", 0, handled);
  ERRNO_OF("sigrelse", "unblocks", 0, sigrelse(SIGUSR1));
  VALUE_OF("sigrelse", "the handler has run when it returns", 1, handled);
  ERRNO_OF("sighold", "no such number", EINVAL, sighold(999));
  ERRNO_OF("sigrelse", "no such number", EINVAL, sigrelse(0));
  VALUE_OF("sigblock", "nothing was blocked", 0, sigblock(sigmask(SIGUSR1)));
  raise(SIGUSR1);
  VALUE_OF("sigblock", "the handler does not run", 1, handled);
  VALUE_OF("sigblock", "what was blocked", sigmask(SIGUSR1), sigblock(0));
  VALUE_OF("sigsetmask", "what was blocked", sigmask(SIGUSR1), sigsetmask(0));
  VALUE_OF("sigsetmask", "the handler has run when it returns", 2, handled);
  VALUE_OF("sigsetmask", "nothing was blocked", 0, sigsetmask(0));
  HOLDS("sigset", "the handler from before", sigset(SIGUSR1, SIG_HOLD) == note);
  raise(SIGUSR1);
  HOLDS("sigset", "held", sigset(SIGUSR1, SIG_HOLD) == SIG_HOLD);
  HOLDS("sigset", "a handler unblocks", sigset(SIGUSR1, note) == SIG_HOLD);
  VALUE_OF("sigset", "the handler has run when it returns", 3, handled);
  unsigned long bits = 1ul << (SIGUSR1 - 1);
  syscall(SYS_rt_sigprocmask, SIG_BLOCK, &bits, nullptr, sizeof bits);
  raise(SIGUSR1);
  VALUE_OF("syscall", "rt_sigprocmask blocks", 3, handled);
  ERRNO_OF("syscall", "rt_sigprocmask unblocks", 0,
           syscall(SYS_rt_sigprocmask, SIG_UNBLOCK, &bits, nullptr, sizeof bits));
  VALUE_OF("syscall", "rt_sigprocmask, the handler has run when it returns", 4, handled);
  ERRNO_OF("syscall", "rt_sigprocmask, sets of another size", EINVAL,
           syscall(SYS_rt_sigprocmask, SIG_UNBLOCK, &bits, nullptr, 4L));
}

#pragma GCC diagnostic pop

void check_masks_of_jumps() {
  on(SIGUSR1, note);
  handled = 0;
  sigset_t set;
  sigemptyset(&set), sigaddset(&set, SIGUSR1);
  static sigjmp_buf back;
  if (sigsetjmp(back, 1) == 0) {
    pthread_sigmask(SIG_BLOCK, &set, nullptr);
    raise(SIGUSR1);
    siglongjmp(back, 1);
  }
  VALUE_OF("siglongjmp", "what it unblocks is handled first", 1, handled);
}

void check_process_signals() {
  sigset_t set, old;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &set, &old);
  handled = 0;
  Gate ready, go;
  Thread open([&] {
    sigset_t own;
    sigemptyset(&own);
    sigaddset(&own, SIGUSR1);
    pthread_sigmask(SIG_UNBLOCK, &own, nullptr);
    ready.open();
    go.pass();
    return 0;
  });
  ready.pass();
  ERRNO_OF("kill", "the process", 0, kill(getpid(), SIGUSR1));
  while (handled == 0) sched_yield();
  HOLDS("kill", "the process, the thread that does not block it gets it",
        pthread_equal(handled_by, open.handle()) != 0);
  go.open();
  open.result();
  ERRNO_OF("kill", "the process, no signal", 0, kill(getpid(), 0));
  ERRNO_OF("killpg", "its own group, no signal", 0, killpg(0, 0));
  ERRNO_OF("killpg", "no such signal", EINVAL, killpg(0, 999));
  ERRNO_OF("killpg", "a negative group", EINVAL, killpg(-5, 0));
  ERRNO_OF("kill", "no such number", EINVAL, kill(getpid(), 999));
  ERRNO_OF("kill", "no such process", ESRCH, kill(99999999, 0));
  pthread_sigmask(SIG_SETMASK, &old, nullptr);
  handled = 0;
  kill(getpid(), SIGUSR1);
  while (handled == 0) sched_yield();
  VALUE_OF("kill", "the process, with one thread: the handler runs", 1, handled);
  ERRNO_OF("tgkill", "itself", 0, syscall(SYS_tgkill, getpid(), gettid(), SIGUSR1));
  VALUE_OF("tgkill", "itself, the handler has run", 2, handled);
  ERRNO_OF("tgkill", "no such thread", ESRCH, syscall(SYS_tgkill, getpid(), 99999999, SIGUSR1));
}

void check_queue() {
  struct sigaction action = {};
  action.sa_sigaction = note_value;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGRTMIN, &action, nullptr);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGRTMIN);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  handled = 0;
  for (const int number : {11, 12, 13}) {
    sigval value;
    value.sival_int = number;
    const int result = sigqueue(getpid(), SIGRTMIN, value);
    if (number == 11) ERRNO_OF("sigqueue", "a real-time signal with a value", 0, result);
  }
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
  VALUE_OF("sigqueue", "three of a blocked real-time signal are three", 3, handled);
  VALUE_OF("sigqueue", "in order, the last value", 13, value_seen);
  ERRNO_OF("sigqueue", "no such number", EINVAL, sigqueue(getpid(), 999, sigval{}));
  ERRNO_OF("sigqueue", "no such process", ESRCH, sigqueue(99999999, 0, sigval{}));
  sigval value;
  value.sival_int = 21;
  ERROR_OF("pthread_sigqueue", "itself", 0, pthread_sigqueue(pthread_self(), SIGRTMIN, value));
  VALUE_OF("pthread_sigqueue", "itself, the value", 21, value_seen);
  Gate go;
  Thread waiter([&] { return go.pass(), 0; });
  handled = 0;
  value.sival_int = 22;
  ERROR_OF("pthread_sigqueue", "another thread", 0, pthread_sigqueue(waiter.handle(), SIGRTMIN, value));
  while (handled == 0) sched_yield();
  VALUE_OF("pthread_sigqueue", "another thread, the value", 22, value_seen);
  go.open();
  waiter.result();
}

void check_nested() {
  static volatile sig_atomic_t order;
  on(SIGUSR2, [](int) { order = order * 10 + 2; });
  struct sigaction action = {};
  action.sa_handler = [](int) {
    raise(SIGUSR2);
    order = order * 10 + 1;
  };
  sigaction(SIGUSR1, &action, nullptr);
  order = 0;
  raise(SIGUSR1);
  VALUE_OF("sigaction", "another signal in a handler interrupts it", 21, order);
  sigaddset(&action.sa_mask, SIGUSR2);
  sigaction(SIGUSR1, &action, nullptr);
  order = 0;
  raise(SIGUSR1);
  VALUE_OF("sigaction", "a signal of the action's mask waits for its end", 12, order);
  action = {};
  action.sa_handler = [](int) { order = order + 1; };
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigaction(SIGUSR1, &action, nullptr);
  raise(SIGUSR1);
  struct sigaction old;
  sigaction(SIGUSR1, nullptr, &old);
  HOLDS("sigaction", "reset after one delivery", old.sa_handler == SIG_DFL);
  on(SIGUSR1, note);
}

sigjmp_buf place;

void check_jumps() {
  on(SIGUSR1, [](int) { siglongjmp(place, 5); });
  volatile int rounds = 0;
  const int came = sigsetjmp(place, 1);
  if (came == 0) raise(SIGUSR1);
  VALUE_OF("siglongjmp", "out of a handler", 5, came);
  if (sigsetjmp(place, 1) == 0 || rounds < 100) {
    rounds = rounds + 1;
    raise(SIGUSR1);
  }
  VALUE_OF("siglongjmp", "a hundred times", 100, rounds);
  sigset_t now;
  pthread_sigmask(SIG_BLOCK, nullptr, &now);
  VALUE_OF("siglongjmp", "the mask is put back", 0, sigismember(&now, SIGUSR1));
  on(SIGUSR1, note);
}

}  // namespace

int main() {
  begin_checks();
  check_actions();
  check_raise();
  check_thread_kill();
  check_masks();
  check_old_masks();
  check_masks_of_jumps();
  check_process_signals();
  check_queue();
  check_nested();
  check_jumps();
  return end_checks();
}
