// RLIMIT_AS and RLIMIT_DATA as the program sets them. The kernel does not learn of them: they would hold for what
// Heddle has reserved, too, which is far more than the program has. So the value is remembered here, what the program
// uses is counted, and what exceeds it is refused. In doubt less is counted than the kernel would.
#pragma once

#include "runtime/state/program_call.h"

namespace heddle::runtime {

// getrlimit(), setrlimit() and prlimit() of these limits of the program's own process. False: it is not one of these.
bool answer_limit_call(const SystemCall& call, long& result);
// Would the call exceed a limit? `result`: what it gives then.
bool exceeds_limit(const SystemCall& call, long& result);
// The call was made: what the program uses is counted anew, if it matters.
void count_after(const SystemCall& call);
// Is there room for the stack of one more thread?
bool stack_fits();

}  // namespace heddle::runtime
