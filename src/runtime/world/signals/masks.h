// Which signals the tasks block: each has a mask of its own in the model, whatever kernel thread it runs on.
#pragma once

#include <cstdint>

#include "runtime/state/runtime.h"

namespace heddle::runtime {

// Are masks and signals the model's? From the first thread creation or the branching point on.
bool signals_are_virtual();
void make_signals_virtual();
// A process that the program forked: its one task has the kernel's mask and signals again.
void make_signals_real();

// The running task's mask.
std::uint64_t signal_mask();
// A step, after which what was unblocked is handled.
void change_signal_mask(std::uint64_t mask, Site site);
// Without a step, and what is unblocked is handled at the next: for calls that come from inside libc.
void replace_virtual_mask(std::uint64_t mask);

// The mask of ppoll() and its kin: in force from the beginning of the wait until it ends, or until a handler that has
// ended it is about to return.
void lend_signal_mask(std::uint64_t mask);
void take_back_signal_mask();

}  // namespace heddle::runtime
