// A level: the memory of an execution at one of its decisions. It leaves out only what has not changed since the
// branching point. Levels stand on a stack along the path of the present execution (snapshot.h); those that took long
// to reach are kept when the path leaves them (bookmarks.h).
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/os/context.h"
#include "runtime/ring/marks.h"

namespace heddle::runtime {

struct Level {
  Context context;
  LevelMarks marks;
  std::size_t dirty_count;  // pages that are kept; later ones have the content that they had at the branching point
  char* copy;               // our variables and pieces
  char* pages;              // behind them: what is different from the branching point
  std::size_t pieces_size;
  std::uint32_t futexes;
  std::size_t end;        // of the stack's memory for levels, as an offset into it
  std::int64_t run_time;  // nanoseconds of processor time from the branching point to here, as far as was watched
  int bookmark;           // its number if it is one
};

}  // namespace heddle::runtime
