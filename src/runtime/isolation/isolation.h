// Isolation: how one execution is kept from the next.
//   fork  the process that reaches the branching point becomes the zygote: for every plan it forks a child, which goes
//   on
//         from there as the execution, and reaps it. A child can't hurt the next one.
//   exec  the process runs one plan and ends; the driver starts the program afresh for the next.
#pragma once

#include "protocol/records.h"

namespace heddle::runtime {

// Branching begins here and now: returns true in each execution, with its plan read and its record begun. False if this
// process is not to be controlled (another one is already); the caller goes on without branching.
bool begin_branching();

// The execution is over before the program ended: its record is closed and the process is gone.
[[noreturn]] void leave_execution(EndKind kind);

// The program itself ends (its last exit handler, or _exit): what is still pending is recorded, scheduling stops.
void finish_execution(int status);

}  // namespace heddle::runtime
