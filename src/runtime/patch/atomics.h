// Atomic instructions of code that is not instrumented become scheduling points (--patch=yes). Each is replaced by a
// jump to code of ours, which comes to the scheduler and then makes the instruction itself. code_points.h finds them.
#pragma once

#include "protocol/operations.h"

namespace heddle::runtime {

// In all files that are loaded, but for those that are instrumented and the libraries whose locks are modelled: at the
// branching point, when all of these are known.
void patch_atomics();
// Where the instruction at `site` was before it was replaced, or moved to make room; else `site`.
Site unpatched_site(Site site);

}  // namespace heddle::runtime
