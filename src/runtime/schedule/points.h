// Memory accesses as scheduling points: atomic operations and volatile accesses of instrumented modules.
#pragma once

#include "instrument/table.h"
#include "protocol/operations.h"

namespace heddle::runtime {

// From now on the program's instrumented modules come here. Before the first thread exists there is no need.
void make_points();

// Would a step of the running task be one that others could come before?
bool is_point();

// Before an atomic instruction of code that is not instrumented (patch/atomics.h). `access` says what it will do; it
// follows at once.
void point_at_atomic_instruction(instrument::AtomicAccess& access);
// Before a fence there.
void point_at_fence(Site site);
// In each round of a loop there that waits. Who comes by again without a step in between yields.
void point_in_waiting_loop(Site site);

// A point that the program itself names, before an access to `address`.
void point_of_program(const void* address, Site site);

}  // namespace heddle::runtime
