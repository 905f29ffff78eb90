// Futexes, as the system call has them.
#pragma once

#include "protocol/operations.h"

namespace heddle::runtime {

// `arguments`: the six of the system call. Returns as the kernel does: a value, or -errno.
long futex_call(const long* arguments, Site site);

}  // namespace heddle::runtime
