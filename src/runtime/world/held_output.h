// What an execution on a snapshot prints is held in the memory shared with the driver, and written to its file when
// somebody may look there: at the end of an execution whose output is wanted, before any other system call of the
// program, when there is too much of it, and where others go on from the place. A test framework prints a few lines in
// every execution that nobody ever reads; to write each, and to cut the file afterwards, costs more than the test. If
// the process dies, whoever finds it dead writes what it holds.
#pragma once

#include "runtime/calls/effects.h"

namespace heddle::runtime {

// At the branching point, behind note_descriptors().
void note_standard_output();
// On a snapshot: is it the captured output?
bool leads_to_output(long descriptor);
// Is this a write() to the captured output that can be held? Then it has been; `result` is what it returns.
bool hold_output(const SystemCall& call, long& result);
long held_output_size();
// Whoever asks next finds all of it in the file.
void write_held_output();
// At the end of an execution: nobody wants what it holds.
void drop_held_output();

}  // namespace heddle::runtime
