// Calls that the runtime of a sanitizer makes by itself: AddressSanitizer's prints what it has found, and asks another
// program for names. Meanwhile it holds its locks, and other threads may wait for these where Heddle does not see it.
// UndefinedBehaviorSanitizer's writes memory into a pipe, to learn whether that memory can be read.
#pragma once

#include "runtime/state/runtime.h"

namespace heddle::runtime {

// At the branching point: where that runtime lies, if the program has it.
void find_sanitizer();
// Is this system call of that runtime's own, and goes to the kernel without a step? Not so what waits for other threads
// of the program.
bool is_sanitizers_own(long number, Site site);

}  // namespace heddle::runtime
