// Waiting for child processes.
#pragma once

#include "protocol/operations.h"

namespace heddle::runtime {

// wait4() and waitid() as the kernel has them: they return a value or -errno.
long wait_for_child(const long* arguments, Site site);     // of wait4
long wait_for_child_id(const long* arguments, Site site);  // of waitid

}  // namespace heddle::runtime
