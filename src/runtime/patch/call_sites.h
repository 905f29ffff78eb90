// System calls that libc makes by itself are caught by the kernel (dispatch.h). Each costs a signal and its return: two
// to three microseconds, as long as a whole execution of a small test. On snapshots one process runs many executions.
// So there, once the `syscall` instruction of a place in libc was caught, it is replaced by a short jump to padding
// between two functions. A jump in the padding leads to code of ours, which does what the handler would have done. Two
// bytes replace two, so the code around them stays the same for jumps and for unwinding. The program finds the same
// registers, stack and memory as after the signal.
//
// Calls that begin or end processes, tasks and handlers, or change what a handler's frame says, always come by signals.
#pragma once

#include "protocol/operations.h"

namespace heddle::runtime {

// Before executions begin. `selector`: the byte that says whether calls are caught (0: no).
void prepare_call_sites(const char* selector);
// A call with this number was caught; behind its instruction lies `behind`. Replaces it, if that can be. Only for a
// process that has one kernel thread and runs many executions.
void replace_call_site(Site behind, long number);
// Where a caught call was made: behind the instruction that was replaced, if `behind` lies in code of ours.
Site original_site(Site behind);

}  // namespace heddle::runtime
