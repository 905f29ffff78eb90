// Restores the descriptors that an execution on a snapshot has changed. Those that it opened are closed at its end.
// Regular files from before the branching point that it closed come back under their numbers. Positions are moved back.
// Private files that it used are made anew (private_files.h). So a test that reads a file, or has an event loop, needs
// no process of its own. A forked process follows the same changes, to know which descriptors are the execution's own.
#pragma once

#include "runtime/state/program_call.h"

namespace heddle::runtime {

// Of descriptors that were there before; `is_file`: it leads to a regular file.
bool undoes_closing(long descriptor, bool is_file);
bool undoes_moving(long descriptor);
// By a call that was let pass: for each that leads to the outside, another isolation is found first.
bool is_opened_here(long descriptor);
// Or one that it has anew: nobody else sees what is written there.
bool is_own_file(long descriptor);

// Around each call that is made.
void before_descriptor_call(const SystemCall& call);
void after_descriptor_call(const SystemCall& call, long result);
// Descriptors that the runtime makes, and closes, for the execution.
void on_opened(long descriptor);
void on_closed(long descriptor);

bool descriptors_changed();
void undo_descriptors();

}  // namespace heddle::runtime
