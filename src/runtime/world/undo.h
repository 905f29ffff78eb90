// Undoes what an execution changed in the kernel, as far as that needs no fresh process: signal actions and mask, new
// mappings, the end of the heap, the output, descriptors of files (undo_descriptors.h). Snapshot isolation only.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heddle::runtime {

// --- what the execution is about to change
void on_signal_action(int signal);
void on_signal_mask();
// False: there are too many to remember.
bool on_new_mapping(std::uintptr_t address, std::size_t bytes);
void on_break();
void on_output_flags();
// What is not undone at all, where the user wants that (--isolation=snapshot).
void on_lasting_effect();
bool output_flags_changed();
std::uintptr_t break_before();

}  // namespace heddle::runtime
