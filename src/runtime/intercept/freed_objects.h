// The program gives a block of the heap back: the synchronization objects in it are gone.
#pragma once

#include "protocol/operations.h"

namespace heddle::runtime {

// `memory`: a block that the program is about to free, at `site`. While there are other threads the end of each object
// in it is a step (OperationKind::ObjectFree), as if it were destroyed: who uses it later commits a misuse. Blocks of
// more than 1,016 bytes are not looked through, nor are objects of four bytes found.
void free_objects_in(const void* memory, Site site);

}  // namespace heddle::runtime
