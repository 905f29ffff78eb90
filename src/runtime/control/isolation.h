// Isolation: how one execution is kept from the next.
//   snapshot  the process that reaches the branching point becomes the zygote. It forks one child, which runs one
//             execution after the other and restores its own memory between them (snapshot.h). When the child has died
//             in an execution, or must be set up anew, the zygote forks the next.
//   fork      the zygote forks a child for every plan; the child goes on from the branching point as the execution.
//   exec      the process runs one plan and ends; the driver starts the program afresh for the next.
#pragma once

#include "runtime/state/up_calls.h"

namespace heddle::runtime {

// main() has returned: the place of the program's end.
void note_return_from_main();

}  // namespace heddle::runtime
