// Every system call that the program makes during an execution is seen here, also from inside libc and other libraries
// (Syscall User Dispatch). A call whose effects the isolation can't undo stops the execution before it is made. A call
// that ends the process ends the execution. A call that can block or wake goes to perform_system_call()
// (system_calls/perform.h). All others are made: first the pages that the kernel will write become writable, and what
// can be undone is remembered (undo.h).
//
// The handler runs on the alternate signal stack and never switches tasks; where the program has to go on elsewhere, it
// changes the saved registers.
#pragma once

#include <ucontext.h>

#include <cstdint>

#include "runtime/os/signal_action.h"
#include "runtime/state/program_call.h"

namespace heddle::runtime {

// At the branching point, before executions begin: what they inherit. `mask`: the program's signal mask; returns the
// one that its executions are to have. Does nothing where the kernel does not have it, or the container forbids it.
std::uint64_t prepare_dispatch(std::uint64_t mask);
// In the process that runs executions: from now on calls are seen, and faults come to us first (program_faults.h).
// `judge`: executions stop at effects that their isolation can't undo.
void start_dispatch(bool judge);
// For a process that is about to end, and for one that goes on with another execution after a pause was left for good.
void stop_dispatch();
// In a copy of this process that the program has made: what it does is none of an execution's effects.
void stop_judging_effects();
void continue_dispatch();
// While real:: functions are called that create threads or processes (they can't be made from a signal handler).
class DispatchPause {
 public:
  DispatchPause();
  ~DispatchPause();
  DispatchPause(const DispatchPause&) = delete;
  DispatchPause& operator=(const DispatchPause&) = delete;

 private:
  char was_;
};
// A call of the program's that did not come through here: its effects are judged (and the execution may end); it is
// made as its isolation needs it.
long make_system_call(const SystemCall& call);
// For interposed functions that do so on behalf of the program: the effect is looked at here.
void about_to_create_process();
void about_to_wait_for_process();
// For another kernel thread of this process (thread carrier).
void start_dispatch_in_thread();
void stop_dispatch_in_thread();  // before libc's own code that ends it

}  // namespace heddle::runtime
