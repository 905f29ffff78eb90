// What happens at branching, at the beginning of each execution and at its end: one table, a line per module.
#pragma once

namespace heddle::runtime {

// Once in the process that has taken control, before its first execution.
void prepare_modules();
// In the process that runs the execution, when its plan has been read and its record has begun.
void begin_modules();
// The last that is recorded of an execution that was not cut off, before its End.
void end_modules();

}  // namespace heddle::runtime
