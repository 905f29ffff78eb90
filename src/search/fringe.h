// The schedules that a bounded search is to run, in a bin for each number of preemptions.
//
// The order within a bin is made for targets that keep checkpoints: plans that follow each other should share long
// beginnings, and the latest deviation should come first. What a bin itself brings (successors that cost nothing, and
// those of revisits) is a stack: depth first. What lower bins leave to it are groups, one for each executed node. The
// groups are taken in the order in which they came, so that neighbours of the lower bin are neighbours again, and from
// each the latest step first.
#pragma once

#include <cstddef>
#include <cstdint>

#include "search/batch_means.h"
#include "search/deviations.h"
#include "trace/large_pages.h"

namespace heddle {

// Claimed: StateReduction::Claim::Free. Watch: run for StateReduction::watch() only. Revisit: was run before; only its
// successors that cost a preemption are wanted.
enum class Purpose : std::uint32_t { Search, Claimed, Watch, Revisit };

// A schedule to be run, by its last deviation; it is a node only once it is handed out.
struct FringeEntry {
  Deviations::Id node = Deviations::kNone;  // without that deviation; of a revisit, the node itself
  std::uint32_t step = 0;
  std::uint32_t task : 14 = 0;  // there are at most 16384
  std::uint32_t purpose_bits : 2 = 0;
  std::uint32_t variant : 16 = 0;
  Choice choice() const { return {static_cast<TaskId>(task), static_cast<Variant>(variant)}; }
  Purpose purpose() const { return static_cast<Purpose>(purpose_bits); }

  static FringeEntry of(Deviations::Id node, std::uint32_t step, Choice choice, Purpose purpose) {
    return {node, step, choice.task & 0x3fffu, static_cast<std::uint32_t>(purpose) & 3u, choice.variant};
  }
};
static_assert(sizeof(FringeEntry) == 12);

struct Bin {
  LargeVector<FringeEntry> queue;  // what lower bins have left; group after group
  std::size_t queue_taken = 0;     // the first so many are gone
  std::size_t begun = 0;           // entries of the queue that were taken, of
  std::size_t to_begin = 0;        // so many that there were when the bin's turn came; 0 before
  LargeVector<FringeEntry> stack;  // what this bin itself has brought; comes first
  std::uint64_t outstanding = 0;   // plans handed out and not yet learned
  std::uint64_t run = 0;           // schedules that were
  std::uint64_t run_before = 0;    // of them, those before the present entry of the queue
  BatchMeans tree_sizes;           // schedules that entries of the queue have brought, those that are through

  std::size_t pending() const { return stack.size() + queue.size() - queue_taken; }
  FringeEntry take();
  // The node of the one that take() gives then.
  Deviations::Id next_node() const {
    if (!stack.empty()) return stack.back().node;
    return queue_taken < queue.size() ? queue[queue_taken].node : Deviations::kNone;
  }
  template <typename Self, typename Archive>
  static void transfer(Self& self, Archive& archive) {
    archive(self.queue, self.queue_taken, self.begun, self.to_begin, self.stack, self.run, self.run_before,
            self.tree_sizes);
  }
};

}  // namespace heddle
