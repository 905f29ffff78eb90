// The frontier: the schedules that a bounded search still has to run, in bins of equal rank, and those that are out. It
// hands out plans, lowest rank first, and counts them by their bound (0, 1, 2 preemptions …), so it knows what has been
// proved, in whichever order they come.
//
// By bound, a bin is a bound, and none is begun before the one below it is done. The order within a bin is made for
// targets that keep checkpoints: plans that follow each other should share long beginnings, and the latest deviation
// should come first. Entries from the bin itself (successors that cost nothing, and those of revisits) form a stack:
// depth first. Entries from lower bins form groups, one for each executed node. The groups are taken in the order in
// which they came, so that neighbours of the lower bin are neighbours again; within a group the latest step comes
// first.
//
// By cost (GAMBIT, PPoPP 2010, sections 3.3 and 5.4), each bin is a stack, so of equal entries the last one comes
// first. What comes next depends on results, so few plans are out at first.
//
// Of a shard (shard.h), each bin is a stack, too, and the greatest bound comes first.
//
// What does not fit into memory goes to a file (frontier_file.h): entries of the greatest ranks, and of one rank those
// that come last. The order does not change by that.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "search/batch_means.h"
#include "search/deviations.h"
#include "search/frontier_entry.h"
#include "search/frontier_file.h"
#include "search/frontier_lists.h"
#include "search/plan_table.h"
#include "search/strategy.h"

namespace heddle {

// Is the record incomplete about choices? The execution was ended from outside, or by an operation that pthreads does
// not allow, and the record does not say at which decision.
inline bool lacks_choices(const Execution& execution) {
  if (execution.end.end == EndKind::Killed) return true;
  if (execution.end.end != EndKind::Misuse) return false;
  return execution.steps.empty() || (execution.steps.back().flags & StepFlags::Refused) == 0;
}

// How urgent a schedule is by each of up to three priorities (priority.h), the first one first; the least comes first.
using Cost = std::array<std::int64_t, 3>;
constexpr std::int64_t kLast = std::numeric_limits<std::int64_t>::max();
constexpr Cost kLastOfAll = {kLast, kLast, kLast};

// Whose turn it is: the least cost, of equal ones the least bound.
struct Rank {
  Cost cost{};
  unsigned bound = 0;
  auto operator<=>(const Rank&) const = default;
};

// The entries of equal rank that wait.
struct Bin {
  FrontierQueue queue;  // by bound only: what lower bins have left; group after group
  FrontierStack stack;  // comes first

  std::size_t pending() const { return stack.size() + queue.size(); }
  bool must_read() const { return stack.size() != 0 ? stack.must_read() : queue.must_read(); }
  PageBack read(FrontierFile& file) { return stack.size() != 0 ? stack.read(file) : queue.read(file); }
  FrontierEntry take() { return stack.size() != 0 ? stack.take() : queue.take(); }
  // The node of the one that take() gives then.
  Deviations::Id next_node() const { return stack.size() != 0 ? stack.next_node() : queue.next_node(); }
  template <typename Self, typename Archive>
  static void transfer(Self& self, Archive& archive) {
    archive(self.queue, self.stack);
  }
};

// Did the run make the node's own deviation? If not, the program behaved differently than when the node was found.
bool followed(const Execution& execution, const Deviations::Node& node);

// What is known of the schedules of one bound.
struct BoundTally {
  std::uint64_t pending = 0;      // entries
  std::uint64_t outstanding = 0;  // plans handed out and not yet learned
  std::uint64_t run = 0;          // schedules that were
  std::size_t begun = 0;          // entries of the bin's queue that were taken, of
  std::size_t to_begin = 0;       // so many that there were when the bin's turn came; 0 before
  std::uint64_t run_before = 0;   // schedules before the present entry of the queue
  BatchMeans tree_sizes;          // schedules that entries of the queue have brought, those that are through

  bool done() const { return pending == 0 && outstanding == 0; }
  // The next entry of the queue is taken.
  void begin_next();
  template <typename Self, typename Archive>
  static void transfer(Self& self, Archive& archive) {
    archive(self.pending, self.run, self.begun, self.to_begin, self.run_before, self.tree_sizes);
  }
};

class BoundTallies {
 public:
  BoundTally& operator[](unsigned bound) {
    if (bound >= tallies_.size()) tallies_.resize(bound + std::size_t{1});
    return tallies_[bound];
  }
  const BoundTally* find(unsigned bound) const { return bound < tallies_.size() ? &tallies_[bound] : nullptr; }
  // Schedules that were run of all bounds below this one.
  std::uint64_t run_below(std::size_t bound) const;
  // Schedules that were run, by their bound.
  std::vector<std::uint64_t> run() const;
  // About so many schedules there are of this bound, if all below have been run; 0: nobody can tell.
  double size_of_next(std::size_t proved) const;
  // What follows from them where nothing was lost, and what was lost from a bound on.
  Coverage coverage(std::size_t lost_from) const;
  template <typename Self, typename Archive>
  static void transfer(Self& self, Archive& archive) {
    archive(self.tallies_);
  }

 private:
  std::vector<BoundTally> tallies_;  // by bound
};

class Frontier {
 public:
  using NodeId = Deviations::Id;
  static constexpr NodeId kNone = Deviations::kNone;
  static constexpr std::uint32_t kRootStep = Deviations::kRootStep;

  // A plan that was handed out.
  struct Outstanding {
    NodeId node = kNone;  // kNone: it is none of ours
    unsigned bound = 0;   // how many preemptions its schedule has
    Purpose purpose = Purpose::Search;
    Cost cost{};
    bool revisit() const { return purpose == Purpose::Revisit; }
    // What it may bring has at least so many.
    unsigned least() const { return bound + (revisit() ? 1u : 0u); }
  };
  enum class Order { ByBound, ByCost, DeepestFirst };

  // With the schedule that deviates nowhere.
  explicit Frontier(PlanId first_plan = 1, Order order = Order::ByBound, FrontierFile::Options file = {})
      : order_(order), file_(std::move(file)), next_plan_(first_plan) {
    push(kNone, kRootStep, {}, 0);
  }

  // --- plans
  Next next();
  // What is known of a plan that has come back. Its reference to the node is the caller's.
  Outstanding take_back(PlanId plan);
  // A schedule of this bound was run, for the first time.
  void note_run(unsigned bound) { ++tallies_[bound].run; }
  // A plan of this bound was lost: nothing is proved any more of it and those above.
  void withdraw(unsigned bound);

  // --- schedules
  Deviations& nodes() { return nodes_; }
  // The rank may be below the present one, which is then the present one again.
  void push(NodeId parent, std::uint32_t step, Choice choice, unsigned bound, Purpose purpose = Purpose::Search,
            const Cost& cost = {});
  // The node is to be run once more, for what has this bound; by cost, last of all.
  void push_revisit(NodeId node, unsigned bound);
  // By bound: what was queued since such a mark is one group: turned round, so that its last comes first.
  std::size_t queued(unsigned bound) const;
  void turn_round(unsigned bound, std::size_t group);
  // As new, with all schedules or those of a shard. Plans that are still out come back as unknown ones.
  void restart(const Subtrees& shard = {Subtree()});

  // --- what is known by it
  Coverage coverage() const;
  // See Strategy.
  double estimated_total() const;
  double estimated_spread() const;
  std::size_t leaves() const { return leaves_; }
  std::size_t in_use() const { return nodes_.in_use() + leaves_; }
  std::size_t bytes() const;
  FrontierFile& file() { return file_; }
  // What has come of a shard; what is outstanding counts as not run.
  ShardProgress shard_progress() const;
  void save(StateWriter& writer) const;
  // False: it makes no sense.
  bool restore(StateReader& reader);

 private:
  static constexpr std::size_t kMaxNodes = std::size_t{1} << 31;
  // By cost, at most one of so many plans that were handed out is out, but so many always may be.
  static constexpr std::uint64_t kOut = 8, kFewestOut = 4;

  template <typename Self, typename Archive>
  static void transfer(Self& self, Archive& archive) {
    archive(self.nodes_, self.leaves_, self.bins_, self.tallies_, self.current_, self.next_plan_, self.handed_out_,
            self.lost_, self.lost_from_);
  }
  Next hand_out(const FrontierEntry& entry);
  void enqueue(const FrontierEntry& entry, const Rank& rank);
  struct Again;
  void read_page(Bin& bin, unsigned bound);

  Order order_;
  FrontierFile file_;
  Deviations nodes_;
  std::size_t leaves_ = 0;  // entries of bins that are no revisits
  std::map<Rank, Bin> bins_;
  std::map<Rank, Bin>::iterator latest_ = bins_.end();  // the bin of the entry that was put in last; end: not known
  BoundTallies tallies_;
  Rank current_;  // by bound: every bin before it is empty and nothing of it is outstanding
  PlanTable<Outstanding> outstanding_;
  std::uint64_t out_ = 0;         // so many
  std::uint64_t handed_out_ = 0;  // in all
  PlanId next_plan_;
  std::uint64_t lost_ = 0;
  std::size_t lost_from_ = std::numeric_limits<std::size_t>::max();  // the least bound of a lost plan
};

}  // namespace heddle
