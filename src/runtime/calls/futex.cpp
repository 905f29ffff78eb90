// The futex system call, from wherever it is made: glibc's own locks, static libraries, assembly.
#include "runtime/intercept/futex.h"

#include "runtime/calls/perform.h"

namespace heddle::runtime {

long perform_futex(const SystemCall& call, Site site) { return futex_call(call.arguments, site); }

}  // namespace heddle::runtime
