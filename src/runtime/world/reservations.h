// Address space that the program had reserved before the branching point (PROT_NONE, private, anonymous, nothing in
// it), as runtimes and allocators do that make parts of it usable later. What an execution does there (mprotect,
// munmap, a mapping on top, madvise) can be undone: the part becomes reserved and empty again.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heddle::runtime {

// When the snapshot is taken.
void note_reservations();
// Can a change of this memory be undone? Not if it holds something, or belongs to something else as well.
bool undoes_changes_of(std::uintptr_t address, std::size_t bytes);
// It was changed: nothing happens where it is no reservation.
void on_changed_reservation(std::uintptr_t address, std::size_t bytes);
bool reservations_changed();
void undo_reservations();

}  // namespace heddle::runtime
