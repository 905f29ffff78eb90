// A shard: a part of the tree of schedules that a bounded search runs (bounded.h), for a worker of a farm
// (farm/merge.h). A schedule is its deviations from the default, and those that begin with the deviations of another
// one are its subtree. So a shard is a list of schedules that were not run, of which none is in another's subtree, with
// all that they lead to within a bound.
//
// A search of a shard takes the schedule with the most preemptions first. So few of them wait at any time, and what is
// left when the time is up is short.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/plan.h"

namespace heddle {

// A schedule that waits, and its subtree.
struct Subtree {
  Deltas deltas;             // ascending by step; none: that of the default schedule, which is the whole tree
  unsigned preemptions = 0;  // of the schedule
};
using Subtrees = std::vector<Subtree>;

// What has become of a shard.
struct ShardProgress {
  Subtrees waiting;                // what was not run
  std::vector<std::uint64_t> run;  // schedules that were, by their preemptions
  bool beyond = false;             // schedules with more preemptions than the bound are known to exist
  std::uint64_t lost = 0;          // plans that were lost: what they would have led to is not known
};

}  // namespace heddle
