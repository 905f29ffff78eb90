// The one place where a system call that can block, wake or yield becomes an operation of the model.
//
// Two ways lead here: interposed wrappers of libc, which know the place in the program, and Syscall User Dispatch
// (calls/dispatch.h) for calls made inside libc, by static libraries and in assembly.
//
// To add a call: a line in modelled.def, and its function in the file of its family.
#pragma once

#include "protocol/operations.h"
#include "runtime/state/program_call.h"

namespace heddle::runtime {

// The same by its number; changes no vector registers, so that it can be asked before they are saved (call_sites.cpp).
extern "C" __attribute__((visibility("hidden"))) bool heddle_is_operation(long number);

// Of fcntl and ioctl: what changes O_NONBLOCK.
long perform_flags(const SystemCall& call, Site site);
// Does closing it give a lock on its file back that another one may wait for? (proc(5), fdinfo)
bool holds_lock(long descriptor);
// What changes how calls of others on a descriptor end; not of what we were given when we were started.
void take_shared_step(long descriptor, Site site);

// The functions behind modelled.def. They return as the kernel does.
#define HEDDLE_MODELLED_CALL(name, function) long function(const SystemCall& call, Site site);
#include "runtime/system_calls/modelled.def"
#undef HEDDLE_MODELLED_CALL

}  // namespace heddle::runtime
