// The signal that a process gets when its parent dies. Heddle's own processes have SIGKILL there, so that none of them
// outlives its parent.
#pragma once

#include "runtime/state/program_call.h"

namespace heddle::runtime {

// prctl(PR_SET_PDEATHSIG) and PR_GET_PDEATHSIG: the program is told what it has set itself. Nothing comes of it, as the
// parent that a program under test has is Heddle.
bool is_about_death_signal(const SystemCall& call);
long answer_death_signal(const SystemCall& call);

// The kernel forgets it when the process begins to act for another user. Then the program's is forgotten, too, and ours
// is set again.
void keep_death_signal();

}  // namespace heddle::runtime
