// The frontier: the schedules that a bounded search still has to run, in a bin for each bound (0, 1, 2 preemptions …),
// and those that are out. It hands out plans, lowest bound first, and knows what has been proved by that.
//
// The order within a bin is made for targets that keep checkpoints: plans that follow each other should share long
// beginnings, and the latest deviation should come first. Entries from the bin itself (successors that cost nothing,
// and those of revisits) form a stack: depth first. Entries from lower bins form groups, one for each executed node.
// The groups are taken in the order in which they came, so that neighbours of the lower bin are neighbours again;
// within a group the latest step comes first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "search/batch_means.h"
#include "search/deviations.h"
#include "search/plan_table.h"
#include "search/strategy.h"
#include "trace/large_pages.h"

namespace heddle {

// Is the record incomplete about choices? The execution was ended from outside, or by an operation that pthreads does
// not allow, and the record does not say at which decision.
inline bool lacks_choices(const Execution& execution) {
  if (execution.end.end == EndKind::Killed) return true;
  if (execution.end.end != EndKind::Misuse) return false;
  return execution.steps.empty() || (execution.steps.back().flags & StepFlags::Refused) == 0;
}

// Claimed: StateReduction::Claim::Free. Watch: run for StateReduction::watch() only. Revisit: was run before; only its
// successors that cost something are wanted.
enum class Purpose : std::uint32_t { Search, Claimed, Watch, Revisit };

// A schedule to be run, by its last deviation; it is a node only once it is handed out.
struct FrontierEntry {
  Deviations::Id node = Deviations::kNone;  // without that deviation; of a revisit, the node itself
  std::uint32_t step = 0;
  std::uint32_t task : 14 = 0;  // there are at most 16384
  std::uint32_t purpose_bits : 2 = 0;
  std::uint32_t variant : 16 = 0;
  Choice choice() const { return {static_cast<TaskId>(task), static_cast<Variant>(variant)}; }
  Purpose purpose() const { return static_cast<Purpose>(purpose_bits); }

  static FrontierEntry of(Deviations::Id node, std::uint32_t step, Choice choice, Purpose purpose) {
    return {node, step, choice.task & 0x3fffu, static_cast<std::uint32_t>(purpose) & 3u, choice.variant};
  }
};
static_assert(sizeof(FrontierEntry) == 12);

struct Bin {
  LargeVector<FrontierEntry> queue;  // what lower bins have left; group after group
  std::size_t queue_taken = 0;       // the first so many are gone
  std::size_t begun = 0;             // entries of the queue that were taken, of
  std::size_t to_begin = 0;          // so many that there were when the bin's turn came; 0 before
  LargeVector<FrontierEntry> stack;  // what this bin itself has brought; comes first
  std::uint64_t outstanding = 0;     // plans handed out and not yet learned
  std::uint64_t run = 0;             // schedules that were
  std::uint64_t run_before = 0;      // of them, those before the present entry of the queue
  BatchMeans tree_sizes;             // schedules that entries of the queue have brought, those that are through

  std::size_t pending() const { return stack.size() + queue.size() - queue_taken; }
  bool done() const { return pending() == 0 && outstanding == 0; }
  FrontierEntry take();
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

class Frontier {
 public:
  using NodeId = Deviations::Id;
  static constexpr NodeId kNone = Deviations::kNone;
  static constexpr std::uint32_t kRootStep = Deviations::kRootStep;

  // A plan that was handed out.
  struct Outstanding {
    NodeId node = kNone;  // kNone: it is none of ours
    unsigned bound = 0;   // how much its schedule has cost
    Purpose purpose = Purpose::Search;
    bool revisit() const { return purpose == Purpose::Revisit; }
    std::size_t bin() const { return bound + (revisit() ? 1u : 0u); }
  };

  // With the schedule that deviates nowhere.
  explicit Frontier(PlanId first_plan = 1) : next_plan_(first_plan) { push(kNone, kRootStep, {}, 0); }

  // --- plans
  Next next();
  // What is known of a plan that has come back. Its reference to the node is the caller's.
  Outstanding take_back(PlanId plan);
  // Did the run make the node's own deviation? If not, the program behaved differently than when the node was found.
  bool followed(const Execution& execution, NodeId id) const;
  // A schedule of this bound was run, for the first time.
  void note_run(unsigned bound) { ++bins_[bound].run; }
  // A plan of this bin was lost: nothing is proved any more of it and those above.
  void withdraw(std::size_t bin);

  // --- schedules
  Deviations& nodes() { return nodes_; }
  const Deviations& nodes() const { return nodes_; }
  // The bound may be below the present one, which is then the present one again.
  void push(NodeId parent, std::uint32_t step, Choice choice, unsigned bound, Purpose purpose = Purpose::Search);
  // The node is to be run once more, in the bin.
  void push_revisit(NodeId node, std::size_t bin);
  // What was queued in a bin since its queue had so many entries is one group: turned round, so that its last comes
  // first.
  std::size_t queued(std::size_t bin) const { return bin < bins_.size() ? bins_[bin].queue.size() : 0; }
  void turn_round(std::size_t bin, std::size_t group);
  // As new. Plans that are still out come back as unknown ones.
  void restart();

  // --- what is known by it
  Coverage coverage() const;
  // See Strategy.
  double estimated_total() const;
  double estimated_spread() const;
  std::size_t leaves() const { return leaves_; }
  std::size_t in_use() const { return nodes_.in_use() + leaves_; }
  std::size_t bytes() const;
  void save(StateWriter& writer) const;
  // False: it makes no sense.
  bool restore(StateReader& reader);

 private:
  static constexpr std::size_t kMaxNodes = std::size_t{1} << 31;

  template <typename Self, typename Archive>
  static void transfer(Self& self, Archive& archive) {
    archive(self.nodes_, self.leaves_, self.bins_, self.current_, self.next_plan_, self.lost_, self.lost_from_);
  }
  Next hand_out(const FrontierEntry& entry);
  void enqueue(const FrontierEntry& entry, std::size_t bin);
  void requeue(NodeId id, Purpose purpose);

  Deviations nodes_;
  std::size_t leaves_ = 0;   // entries of bins that are no revisits
  std::vector<Bin> bins_;    // by bound
  std::size_t current_ = 0;  // every bin before it is empty and nothing of it is outstanding
  PlanTable<Outstanding> outstanding_;
  PlanId next_plan_;
  std::uint64_t lost_ = 0;
  std::size_t lost_from_ = std::numeric_limits<std::size_t>::max();  // the least bin of a lost plan
};

}  // namespace heddle
