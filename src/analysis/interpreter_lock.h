// The lock that an interpreter's threads pass on at each line: its steps say where a script goes on. And what its
// threads wait on besides.
#pragma once

#include "trace/execution.h"

namespace heddle {

// kNoObject: there is none, or its name was not recorded (that is done in replays).
ObjectId interpreter_lock(const Execution& execution);
// A semaphore on which a thread waits until another one wakes it, in Condition.wait() for instance: made for this wait,
// so it is taken on the line that makes it. What the script itself makes, it takes on other lines.
bool is_wait_of_script(const Execution& execution, ObjectId object);

}  // namespace heddle
