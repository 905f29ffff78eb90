// What a system call of the program does beyond its own memory, and which isolation undoes that.
#pragma once

#include "runtime/state/program_call.h"

namespace heddle::runtime {

// Before the branching point: remembers which descriptors are open.
void note_open_descriptors();
// Of dup(): the new one leads to what the other one leads to.
void note_copied_descriptor(long from, long to);
struct ExecutionMask {
  std::uint64_t blocked_in_program = 0;  // at the call that was seen last; set by the dispatch
};
extern ExecutionMask execution_mask;
SystemCallEffect effect_of(const SystemCall& call);
// In words, with the descriptor's number and what it leads to. Returns the length.
std::size_t describe_effect(const SystemCallEffect& effect, char* text, std::size_t capacity);

bool was_open_before(long descriptor);
// The link that /proc shows for a descriptor; null: it is not open.
const char* link_of(int descriptor, char* text, std::size_t capacity);

// The call: its name and the path that it is given, if it is given one ("openat settings.txt").
void describe_call(const SystemCall& call, char* text, std::size_t capacity);

// Before the branching point: which memory is shared with others. Writes to it are undone by no process of its own.
void note_shared_memory();
// The effect of having it, or level None if nothing that is shared can be written to.
SystemCallEffect effect_of_shared_memory();

}  // namespace heddle::runtime
