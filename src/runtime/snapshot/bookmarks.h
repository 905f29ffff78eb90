// Bookmarks: levels that took long to reach and are kept when the path of the search leaves them. An execution whose
// plan begins as theirs did goes on from there. So a long computation is paid once, and not each time that the search
// comes back to an early choice.
//
// A level's copy is complete relative to the branching point. A bookmark also keeps what another path needs to go on
// from it: the plan of the way there, the known futexes, and the output so far. The driver's decoder keeps the records
// of the way; a Bookmark record says when one is made (records.h).
//
// They live in one process, with its dirty pages: a new process begins without any. Their number and their bytes are
// bounded. When a bound is reached, the bookmark that is cheapest to reach again for its size is dropped; unused ones
// grow cheaper with time. (Greedy Dual-Size: Cao and Irani, USENIX Symposium on Internet Technologies and Systems
// 1997.)
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/snapshot/level.h"

namespace heddle::runtime {

// Address space for them. Where there is none, none are made.
void reserve_bookmarks();
// Have we any?
bool any_bookmarks();
// What it takes to reach all of them again, in nanoseconds.
std::int64_t bookmarks_worth();

// Room for one that stands at `marks` in the present plan and takes `level_bytes` for its copy. `cost`: what reaching
// it again would take, in nanoseconds. Its number, or kNoBookmark: there is no room for it.
int claim_bookmark(const LevelMarks& marks, std::size_t level_bytes, std::int64_t cost);
char* bookmark_memory(int number);
// The level is complete: from now on it can be found.
void complete_bookmark(const Level& level);

// On the stack it is not thrown away.
void pin_bookmark(int number, bool pinned);
// The deepest one behind step `beyond` on the way of the plan that comes next; null: none. Counts as used.
const Level* find_bookmark(std::uint32_t beyond);
// Restores what is not memory: the futexes and the output.
void go_to_bookmark(const Level& level);
void forget_bookmarks();

}  // namespace heddle::runtime
