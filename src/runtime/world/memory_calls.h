// Calls about the program's memory that are answered as the kernel would answer them, but don't reach it: there they
// would also affect Heddle's own forks, or all memory that the runtime has reserved.
#pragma once

#include "runtime/state/program_call.h"

namespace heddle::runtime {

// False: it is not one of these.
//   madvise  what becomes of memory in a child is done in the children of the program only
//   mlock    and its kin lock and unlock nothing. They exist to save the time of page faults, which virtual time does
//            not show; and what one execution has locked would count against the limit in the next
//   prlimit  and its kin: see memory_limits.h
bool answer_memory_call(const SystemCall& call, long& result);

// The program has unmapped something, or mapped something else there: advice was for what was there before.
void forget_advice(std::uintptr_t address, std::size_t bytes);
// In a child of the program.
void follow_advice_in_child();

}  // namespace heddle::runtime
