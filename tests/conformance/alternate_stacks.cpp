// Alternate signal stacks: each thread has its own.
#include <setjmp.h>
#include <signal.h>
#include <sys/syscall.h>

#include "check.h"

namespace {

constexpr size_t kSize = 64 << 10;
char first[kSize], second[kSize];
volatile sig_atomic_t handled, ran_on_first, flags_inside, error_inside;
sigjmp_buf back;

bool is_on_first(const void* address) { return address >= first && address < first + kSize; }

stack_t stack_at(void* begin, size_t bytes = kSize, int flags = 0) {
  stack_t stack = {};
  stack.ss_sp = begin;
  stack.ss_size = bytes;
  stack.ss_flags = flags;
  return stack;
}

stack_t present() {
  stack_t stack = {};
  sigaltstack(nullptr, &stack);
  return stack;
}

int set(void* begin, size_t bytes = kSize, int flags = 0) {
  const stack_t stack = stack_at(begin, bytes, flags);
  return sigaltstack(&stack, nullptr);
}

void note(int) {
  char here = 0;
  handled = handled + 1;
  ran_on_first = is_on_first(&here);
  flags_inside = present().ss_flags;
  error_inside = set(second) == 0 ? 0 : errno;
}

void jump(int) {
  char here = 0;
  ran_on_first = is_on_first(&here);
  siglongjmp(back, 1);
}

void on(int number, void (*handler)(int), int flags) {
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  sigaction(number, &action, nullptr);
}

void check_setting() {
  VALUE_OF("sigaltstack", "there is none at first", SS_DISABLE, present().ss_flags);
  ERRNO_OF("sigaltstack", "too small", ENOMEM, set(first, 1024));
  ERRNO_OF("sigaltstack", "unknown flags", EINVAL, set(first, kSize, 64));
  ERRNO_OF("sigaltstack", "a wild place to read from", EFAULT,
           sigaltstack(static_cast<const stack_t*>(kWild), nullptr));
  ERRNO_OF("sigaltstack", "a wild place to write to", EFAULT, sigaltstack(nullptr, static_cast<stack_t*>(kWild)));
  ERRNO_OF("sigaltstack", "set", 0, set(first));
  HOLDS("sigaltstack", "it is told of", present().ss_sp == first && present().ss_size == kSize);
  VALUE_OF("sigaltstack", "not in use", 0, present().ss_flags);
  stack_t both = stack_at(second);
  stack_t* volatile same = &both;
  ERRNO_OF("sigaltstack", "the same place to read from and to write to", 0, sigaltstack(&both, same));
  HOLDS("sigaltstack", "what was set before stands there", both.ss_sp == first && present().ss_sp == second);
  ERRNO_OF("sigaltstack", "by a raw system call", 0, syscall(SYS_sigaltstack, &both, nullptr));
  HOLDS("sigaltstack", "what the system call has set", present().ss_sp == first);
  VALUE_OF("sigaltstack", "none in another thread", SS_DISABLE, elsewhere([] { return present().ss_flags; }));
  VALUE_OF("sigaltstack", "set in another thread", 0, elsewhere([] { return set(second); }));
  HOLDS("sigaltstack", "that changes nothing here", present().ss_sp == first);
}

void check_handlers() {
  on(SIGUSR1, note, SA_ONSTACK);
  raise(SIGUSR1);
  VALUE_OF("sigaltstack", "a handler with SA_ONSTACK runs there", 1, ran_on_first);
  VALUE_OF("sigaltstack", "in use, where the handler asks", SS_ONSTACK, flags_inside);
  VALUE_OF("sigaltstack", "changed while in use", EPERM, error_inside);
  VALUE_OF("sigaltstack", "behind the handler", 0, present().ss_flags);
  elsewhere([] { return raise(SIGUSR1); });
  VALUE_OF("sigaltstack", "not for a handler in another thread", 0, ran_on_first);
  set(first);
  on(SIGUSR1, note, 0);
  raise(SIGUSR1);
  VALUE_OF("sigaltstack", "not without SA_ONSTACK", 0, ran_on_first);
  VALUE_OF("sigaltstack", "changed in a handler that runs elsewhere", 0, error_inside);
  HOLDS("sigaltstack", "its return brings the one from before", present().ss_sp == first);
  VALUE_OF("raise", "so many handlers have run", 3, handled);
}

void check_faults() {
  set(first);
  on(SIGSEGV, jump, SA_ONSTACK);
  if (sigsetjmp(back, 1) == 0) *static_cast<volatile char*>(kWild) = 1;
  VALUE_OF("sigaltstack", "the handler of a fault runs there", 1, ran_on_first);
  VALUE_OF("sigaltstack", "behind a jump out of it", 0, present().ss_flags);
  if (sigsetjmp(back, 1) == 0) *static_cast<volatile char*>(kWild) = 1;
  VALUE_OF("sigaltstack", "the handler of a second fault, too", 1, ran_on_first);
  on(SIGSEGV, SIG_DFL, 0);
}

void check_disarming() {
#ifdef SS_AUTODISARM
  constexpr int kDisarms = SS_AUTODISARM;
#else
  constexpr int kDisarms = static_cast<int>(1u << 31);
#endif
  ERRNO_OF("sigaltstack", "one that disarms itself", 0, set(first, kSize, kDisarms));
  HOLDS("sigaltstack", "its flag is told of", present().ss_flags == kDisarms);
  on(SIGUSR1, note, SA_ONSTACK);
  raise(SIGUSR1);
  VALUE_OF("sigaltstack", "disarmed: the handler runs there", 1, ran_on_first);
  VALUE_OF("sigaltstack", "disarmed: there is none in the handler", SS_DISABLE, flags_inside);
  VALUE_OF("sigaltstack", "disarmed: another may be set", 0, error_inside);
  HOLDS("sigaltstack", "armed again behind it", present().ss_sp == first && present().ss_flags == kDisarms);
  ERRNO_OF("sigaltstack", "taken back", 0, set(nullptr, 0, SS_DISABLE));
  VALUE_OF("sigaltstack", "there is none again", SS_DISABLE, present().ss_flags);
}

}  // namespace

int main() {
  begin_checks();
  check_setting();
  check_handlers();
  check_faults();
  check_disarming();
  return end_checks();
}
