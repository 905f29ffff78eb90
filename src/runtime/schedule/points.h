// Memory accesses as scheduling points: atomic operations and volatile accesses of instrumented modules.
#pragma once

#include "protocol/operations.h"

namespace heddle::runtime {

// From now on the program's instrumented modules come here. Before the first thread exists there is no need.
void make_points();

// Would a step of the running task be one that others could come before?
bool is_point();

// A point that the program itself names, before an access to `address`.
void point_of_program(const void* address, Site site);

}  // namespace heddle::runtime
