// The lock that an interpreter's threads pass on at each line: its steps say where a script goes on. And the locks of
// the script itself.
#pragma once

#include "trace/execution.h"

namespace heddle {

// kNoObject: there is none, or its name was not recorded (that is done in replays).
ObjectId interpreter_lock(const Execution& execution);
// Did a script make it, directly or by a class of the interpreter's? CPython makes its locks of semaphores.
bool is_lock_of_script(const Execution& execution, ObjectId object);

}  // namespace heddle
