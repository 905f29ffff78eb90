// The kernel's side of an execution that can be undone without a fresh process: signal actions and mask, new mappings,
// the end of the heap, what was printed, descriptors of files (undo_descriptors.h). Snapshot isolation only.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heddle::runtime {

// At the branching point.
void note_kernel_state();
// Puts it back; `output_size`: the captured output is cut back to this.
void undo_kernel_state(long output_size);

// --- what the execution is about to change
void on_signal_action(int signal);
void on_signal_mask();
// False: there are too many to remember.
bool on_new_mapping(std::uintptr_t address, std::size_t bytes);
void on_break();
void on_output_flags();
// What is not undone at all, where the user wants that (--isolation=snapshot).
void on_lasting_effect();
// Of the present execution; no checkpoint can be taken either.
bool has_lasting_effect();
bool output_flags_changed();
void on_output();
// How much has been printed; asks the kernel only where that may have changed.
long output_printed();
// Has anything but the output been changed? Then no checkpoint can be taken.
bool kernel_state_changed();
std::uintptr_t break_before();

}  // namespace heddle::runtime
