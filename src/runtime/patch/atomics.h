// Atomic instructions of code that is not instrumented become scheduling points (--patch=yes). Each is replaced by a
// jump to code of ours, which comes to the scheduler and then makes the instruction itself. code_points.h finds them.
#pragma once

namespace heddle::runtime {

// In all files that are loaded, but for those that are instrumented and the libraries whose locks are modelled: at the
// branching point, when all of these are known.
void patch_atomics();

}  // namespace heddle::runtime
