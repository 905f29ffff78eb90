// Memory accesses as scheduling points: atomic operations and volatile accesses of instrumented modules.
#pragma once

#include "protocol/operations.h"

namespace heddle::runtime {

// From now on the program's instrumented modules come here. Before the first thread exists there is no need.
void make_points();

// A plain access that is to be a scheduling point, made by the program when this returns.
void point_before_access(OperationKind kind, const void* address, std::size_t size, Site site);

// A thread that has made very many plain accesses without a step, and is about to make another, lets the others run.
void give_way_before_access(Site site);

// A point that the program itself names, before an access to `address`.
void point_of_program(const void* address, Site site);
// A call of a library that synchronizes by what lies at `address` (library_calls.def).
void point_at_library_call(const void* address, Site site);

}  // namespace heddle::runtime
