// A child that the program forked: it keeps the model, with the one task that forked, and is not recorded.
#pragma once

#include "protocol/operations.h"

namespace heddle::runtime {

// In the child, first of all.
void note_forked();
bool is_forked_child();
// Was it forked by a process that is still there and that the user means, rather than this one (--follow-fork)? A
// daemon is what is meant: it has left its parent's session, or its parent is gone.
bool belongs_to_parent();
// Its threads run by default choices only, which is said.
void tell_of_threads(Site site);
// Does that process stand still?
bool hangs(int process);

}  // namespace heddle::runtime
