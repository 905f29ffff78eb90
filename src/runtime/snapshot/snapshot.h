// Snapshots: the memory of this process as it was at the branching point, and at checkpoints after it, restored without
// a system call.
//
// All private memory that the program can write is made read-only. The first write to a page faults; the handler saves
// the page and makes it writable for good: it is *dirty*. To restore is to copy the dirty pages back. A checkpoint is a
// copy of the dirty pages as they are at that moment; a page that became dirty later is restored to what it was at the
// branching point, since until then nobody had written to it. The runtime's own variables and tables are saved and
// copied separately, except the permanent ones (HEDDLE_PERMANENT). The kernel's side (mappings, signal actions …) is in
// undo.h.
//
// Only for a process with one kernel thread: the fiber carrier's.
#pragma once

#include <ucontext.h>

#include <cstddef>
#include <cstdint>

#include "runtime/snapshot/level.h"

namespace heddle::runtime {

// Takes the snapshot of the present process. Null, or why it can't be: then nothing has changed.
const char* take_snapshot();
// In a copy of this process that the program has made: its memory is its own, and can be written.
void leave_snapshot();

// --- faults, and the kernel's writes, which don't fault but fail
// Makes the page at `address` dirty if it is one that the snapshot protects; false: it is not.
bool make_dirty(std::uintptr_t address);
std::size_t dirty_pages();
// The kernel is about to put the frame of a handler onto the program's stack. True: it can now, and could not before.
bool make_room_for_frame(const greg_t* registers);
struct DirtyPage {
  std::uintptr_t address;
  const char* saved;          // what it contains at the branching point
  std::uint64_t* saved_hash;  // two words for who wants to keep something about that; 0 when it was saved anew
};
DirtyPage dirty_page(std::size_t index);
// Does the address lie in what the main thread's stack may become?
bool is_main_stack(std::uintptr_t address);
// Where that begins, as the limit on stacks allowed at the branching point; 0: there is no snapshot. The kernel's own
// answer is of no use: it sees a stack of its own between any two pages of which one is protected.
std::uintptr_t main_stack_begin();
// The kernel is about to write there.
void before_kernel_writes(std::uintptr_t address, std::size_t bytes);
// Was anything mapped there when the snapshot was taken?
bool was_mapped_before(std::uintptr_t address, std::size_t bytes);

// --- memory that the program unmaps
// It stays as it is, and can't be accessed until take_back(): so the next execution has it again. Not if it isn't all
// memory that is restored, or if there is too much of it.
bool can_be_set_aside(std::uintptr_t address, std::size_t bytes);
// False: the kernel does not allow it; nothing was done.
bool set_aside(std::uintptr_t address, std::size_t bytes);
bool is_anything_aside();
void take_back();

// --- levels: 0 is the branching point, the others are checkpoints on the way of the present execution
unsigned level_count();
// The deepest one.
const Level& top_level();
// Makes the stack ready for the next plan, which shares so many steps with the present one: those beyond are dropped,
// and a bookmark that goes further is put on top.
void choose_level(std::uint32_t common_steps);
// The bookmark that the present execution came to from another path; kNoBookmark: it goes on from the one before it.
int bookmark_reached();
struct LevelWish {
  std::int64_t run_time = 0;   // see Level
  bool keep = false;           // as a bookmark, if there is room
  std::int64_t keep_cost = 0;  // see claim_bookmark()
  bool in_any_case = true;     // also if there is no room for a bookmark: plans that wait part here
};
// Takes a level of the place of the present call_unseen(): executions with other plans may go on from there. Not if
// there is no room. `began`: when taking it was considered (time stamp counter).
void take_level(const LevelMarks& marks, const LevelWish& wish, std::uint64_t began);
// What taking a level costs about, and restoring one, in time stamp counter ticks; 0: not known.
std::uint64_t take_cost();
std::uint64_t restore_cost();
// The first levels are dear. Where none are taken because of that, the estimate is lowered until one is tried again.
void forget_take_cost();
// When the program last went on from a level, or a level was taken: time stamp counter.
std::uint64_t last_level_at();

// How long an execution of late takes that is run from the branching point to its end, by what its steps have taken.
std::uint64_t whole_run();
// How long the last execution took from where it went on to its end. A part of it may have been spent by others.
std::uint64_t last_run();
// The run_time of the deepest bookmark on the stack; 0: there is none.
std::int64_t kept_run_time();

// Notes the place from where executions start (level 0). True: an execution is to begin there anew.
bool snapshot_mark();

// Restores the memory of the deepest level and goes on there. Called when everything about the present execution has
// been said.
[[noreturn]] void restore_snapshot();

}  // namespace heddle::runtime
