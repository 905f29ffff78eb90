// Signal actions as the kernel takes them. With these the runtime's handlers return through code of its own, so that
// Syscall User Dispatch does not catch their return.
#pragma once

#include <signal.h>

#include <cstddef>
#include <cstdint>

namespace heddle::os {

struct SignalAction {  // the kernel's struct sigaction
  void* handler = nullptr;
  std::uint64_t flags = 0;
  void* restorer = nullptr;
  std::uint64_t mask = 0;
};

inline constexpr std::uint64_t kRestorer = 0x04000000;  // SA_RESTORER, which glibc does not tell

using SignalHandler = void (*)(int signal, siginfo_t* info, void* context);

// Null: leave as it is; don't tell. 0 or -errno.
long set_signal_action(int signal, const SignalAction* action, SignalAction* old);
// For a handler of the runtime's: on the alternate stack, and its own signal is not blocked in it.
SignalAction own_action(SignalHandler handler);
void set_default_action(int signal);
// The alternate stack of the calling kernel thread.
void set_alternate_stack(void* memory, std::size_t bytes);
// Returns from a signal handler whose frame begins at `frame`.
[[noreturn]] void return_from_signal(std::uint64_t frame);

}  // namespace heddle::os

namespace heddle::runtime {

// What ends a process by itself, if no handler takes it.
inline constexpr int kFaultSignals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};

}  // namespace heddle::runtime
