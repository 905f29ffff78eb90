// Which of the program's calls print: their text is held (ring/output.h).
#pragma once

#include "runtime/state/program_call.h"

namespace heddle::runtime {

// At the branching point, behind note_descriptors().
void note_standard_output();
// On a snapshot: is it the captured output?
bool leads_to_output(long descriptor);
// Is this a write() to the captured output that can be held? Then it has been; `result` is what it returns.
bool hold_output(const SystemCall& call, long& result);

}  // namespace heddle::runtime
