// Whom the process acts for: its user and its groups.
//
// They belong to the process, but the kernel keeps them for each of its threads. So libc signals all other threads and
// waits until each has made the call, too. Parked threads, and those without the baton, never make it. So the call is
// made
//
//   fiber carrier    by the one kernel thread on which all tasks run
//   thread carrier   by the task's own thread, and by each other one before its task goes on
#pragma once

#include "runtime/state/program_call.h"

namespace heddle::runtime {

struct TaskData;

// SYS_setuid and its kin, for all tasks: 0 or -errno.
long change_credentials(const SystemCall& call);
// Would something be another than it is? In doubt, it would.
bool would_change_credentials(const SystemCall& call);

// Thread carrier. The kernel's new thread has what its creator has.
void inherit_credentials(TaskData& made);
// The running task's kernel thread makes the calls that others have made meanwhile.
void follow_credentials();

}  // namespace heddle::runtime
