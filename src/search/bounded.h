// Iterative preemption bounding: all schedules without a preemption, then all with one, and so on.
//
// Sources: CHESS (OSDI 2008, section 4.4.1) for the bound, GAMBIT (PPoPP 2010, section 3, FindBacktrackingPoints) for
// the execution tree. A schedule is written as its deviations from the default behaviour. The tree's root is the
// default schedule; the parent of a schedule is the same schedule without its last deviation. A node keeps that last
// deviation and a pointer to its parent, 14 bytes, and lives as long as it is to be run or has descendants that are:
// what is in memory is the fringe and its ancestors. The fringe is one bin per number of preemptions.
//
// The order within a bin is made for targets that keep checkpoints: plans that follow each other should share long
// beginnings, and the latest deviation should come first. What a bin itself brings (successors that cost nothing, and
// those of revisits) is a stack: depth first. What lower bins leave to it are groups, one for each executed node. The
// groups are taken in the order in which they came, so that neighbours of the lower bin are neighbours again, and from
// each the latest step first.
//
// Where we deviate: (1) choices are (task, variant), not tasks: which waiter is woken, timeouts, spurious wake-ups.
// (2) Once the fringe is large, the successors that cost a preemption are not stored one by one: the executed node goes
// once into the next bin as a *revisit*; when its bound's turn comes it is run again and only then expanded.
//
// Why every schedule is run exactly once. Fix the program, and let d(p) be the default choice after a sequence of
// choices p. A schedule c0 c1 … deviates at the steps D = {i : ci ≠ d(c0…ci-1)}; D is determined by the schedule, so
// its parent (without the last element of D) and its last deviation are too: each schedule has exactly one place in the
// tree. It is enough that expanding a node whose last deviation is at step s generates every child once: the children
// are all choices other than the one made at all steps i > s (expand_step), where the run followed the default. The one
// gap: how many ordinary variants a choice has is known only once it has been taken. So of every choice first variant 0
// is generated, and running it generates its siblings, variants 1 to n-1, as children of its own parent
// (expand_siblings); variants other than 0 generate none. What the run chose by itself at step i has shown its
// variants, so they are generated there. tests/unit/search compares with a brute-force enumeration.
//
// Where a thread is not to be preempted (--no-preempt, heddle_atomic_begin()), the choices that would are left out: a
// step at which only the task that ran last may go on. Its own alternatives are choices all the same. Such states are
// not noted in the reduction's table: from there, less can follow than from the same state with another task running.
//
// With a reduction (state_reduction.h), states that are equivalent to one that was expanded are not expanded again:
// then every schedule within the bound was run, or one that is equivalent to it and needs no more preemptions. The same
// holds where preemptions are left out that would bring nothing (preemption_points.h); those that turn out to matter
// are made then, in the bound where they belong. When the reductions turn out not to hold for the program, the search
// begins again without them.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "search/batch_means.h"
#include "search/plan_table.h"
#include "search/preemption_points.h"
#include "search/state_reduction.h"
#include "search/strategy.h"

namespace heddle {

class BoundedSearch final : public Strategy {
 public:
  struct Options {
    unsigned max_preemptions = kNoBound;
    std::uint32_t eager_nodes = 1u << 23;              // beyond so many nodes, costly successors are left to revisits
    bool reduce = false;                               // leave out states that are equivalent
    bool reduce_preemptions = false;                   // leave out preemptions that bring nothing
    std::size_t most_left_out = std::size_t{1} << 19;  // of those, so many are kept for the case that they do
    StateReduction::Options reduction = {};
    // Is this a place where threads are not to be preempted? Empty: there is none.
    std::function<bool(Site)> no_preempt = {};
  };
  static constexpr unsigned kNoBound = 0xffff;

  explicit BoundedSearch(const Options& options);

  Next next() override;
  void learn(const Execution& execution) override;
  void lost(PlanId plan, LostReason reason) override;
  Coverage coverage() const override;
  double estimated_total() const override;
  double estimated_spread() const override;
  void save(StateWriter& writer) const override;
  bool restore(StateReader& reader) override;
  std::string take_note() override { return std::exchange(note_, {}); }

  // For tests: how many nodes are in memory.
  std::size_t nodes_in_use() const { return nodes_.size() - free_count_; }
  // And how many bytes they and the bins take, the room for more left out.
  std::size_t bytes_in_use() const {
    return nodes_in_use() * (sizeof(Node) + sizeof(References)) + coverage().pending * sizeof(NodeId);
  }

 private:
  using NodeId = std::uint32_t;
  static constexpr NodeId kNone = 0x7fffffff;
  static constexpr NodeId kRevisit = 0x80000000;  // flag on an entry of a bin

  // Of a node: claimed: StateReduction::Claim::Free; watch: run for StateReduction::watch() only.
  enum class Purpose : std::uint32_t { Search, Claimed, Watch };

  struct Node {
    NodeId parent = kNone;        // next free node while unused
    std::uint32_t step = 0;       // of the last deviation; kRootStep for the root
    std::uint32_t task : 14 = 0;  // chosen there; there are at most 16384
    std::uint32_t purpose_bits : 2 = 0;
    std::uint32_t variant : 16 = 0;
    Choice choice() const { return {static_cast<TaskId>(task), static_cast<Variant>(variant)}; }
    Purpose purpose() const { return static_cast<Purpose>(purpose_bits); }
  };
  static_assert(sizeof(Node) == 12);
  // To a node, from children, from the fringe, from what was left out, and from a plan that is outstanding. One that
  // ever had kMany stays.
  using References = std::uint16_t;
  static constexpr References kMany = 0xffff;
  static constexpr std::uint32_t kRootStep = 0xffffffff;

  struct Bin {                      // entries with kRevisit
    std::vector<NodeId> queue;      // what lower bins have left; group after group
    std::size_t queue_taken = 0;    // the first so many are gone
    std::size_t begun = 0;          // entries of the queue that were taken, of
    std::size_t to_begin = 0;       // so many that there were when the bin's turn came; 0 before
    std::vector<NodeId> stack;      // what this bin itself has brought; comes first
    std::uint64_t outstanding = 0;  // plans handed out and not yet learned
    std::uint64_t run = 0;          // schedules that were
    std::uint64_t run_before = 0;   // of them, those before the present entry of the queue
    BatchMeans tree_sizes;          // schedules that entries of the queue have brought, those that are through
    std::size_t pending() const { return stack.size() + queue.size() - queue_taken; }
    NodeId take();
    template <typename Self, typename Archive>
    static void transfer(Self& self, Archive& archive) {
      archive(self.queue, self.queue_taken, self.begun, self.to_begin, self.stack, self.run, self.run_before,
              self.tree_sizes);
    }
  };

  // A plan that was handed out.
  struct Outstanding {
    NodeId node = kNone;
    unsigned preemptions = 0;
    bool revisit = false;  // was run before; only its costly successors are wanted
    std::size_t bin() const { return preemptions + (revisit ? 1u : 0u); }
  };

  // A choice that was not made since it brings nothing, by what is known.
  struct LeftOut {
    GraphHash ahead;  // the state that it leads to; zeros when that is not known
    NodeId node = kNone;
    std::uint32_t step = 0;
    Choice choice;
    unsigned preemptions = 0;
  };

  // The expansion of one node.
  struct Expansion {
    const Execution& execution;
    NodeId node;
    unsigned preemptions;
    bool free;              // successors that cost nothing are wanted
    bool costly;            // those that cost a preemption are
    bool skipped = false;   // there were costly ones and they were not wanted
    bool reduced = false;   // the states of the execution can be told apart
    bool fair = false;      // fairness may matter
    bool left_out = false;  // preemptions before the step that is expanded bring nothing, by its place
    PreemptionPoints::Place place = 0;
  };

  template <typename Self, typename Archive>
  static void transfer(Self& self, Archive& archive) {
    archive(self.nodes_, self.references_, self.first_free_, self.free_count_, self.bins_, self.current_,
            self.next_plan_, self.note_, self.found_region_, self.regions_, self.left_out_, self.left_out_count_,
            self.left_out_total_, self.left_out_kept_, self.proved_before_, self.cut_off_, self.lost_, self.lost_from_);
  }
  Next hand_out(NodeId entry);
  Outstanding take_back(PlanId plan);
  bool followed(const Execution& execution, NodeId id) const;
  void expand(const Execution& execution, const Outstanding& outstanding);
  bool enter(const Expansion& expansion, std::uint32_t step, std::uint32_t first);
  bool is_unpreemptible(const StepRecord& made) const;
  void expand_steps(Expansion& expansion, std::uint32_t first);
  void expand_variants(Expansion& expansion, std::uint32_t step);
  void expand_siblings(const Expansion& expansion);
  void expand_step(Expansion& expansion, std::uint32_t step);
  void expand_task(Expansion& expansion, std::uint32_t step, TaskId task);
  void add(Expansion& expansion, std::uint32_t step, Choice choice, unsigned cost);
  void push(NodeId parent, std::uint32_t step, Choice choice, unsigned preemptions, Purpose purpose = Purpose::Search);
  void begin();
  void begin_anew();
  void give_up_reduction();
  bool brings_nothing(Expansion& expansion, std::uint32_t step);
  void leave_out(const Expansion& expansion, const LeftOut& one);
  bool make_up_for(const std::vector<PreemptionPoints::Place>& places, unsigned found_at);
  void take_up(const LeftOut& one);
  bool sample_left_out();
  bool keep_regions();
  void enqueue(NodeId entry, std::size_t preemptions);
  Bin& bin(std::size_t preemptions);
  NodeId allocate();
  void refer_to(NodeId id) {
    if (references_[id] != kMany) ++references_[id];
  }
  void release(NodeId id);
  void withdraw(std::size_t from);
  bool beyond(unsigned preemptions) const { return preemptions > options_.max_preemptions; }

  Options options_;
  std::vector<Node> nodes_;
  std::vector<References> references_;  // by node
  NodeId first_free_ = kNone;
  std::size_t free_count_ = 0;
  std::vector<Bin> bins_;    // by preemptions
  std::size_t current_ = 0;  // every bin before it is empty and nothing of it is outstanding
  PlanTable<Outstanding> outstanding_;
  PlanId next_plan_ = 1;
  StateCursor cursor_;
  std::optional<StateReduction> reduction_;
  std::optional<PreemptionPoints> points_;
  absl::flat_hash_map<PreemptionPoints::Place, std::vector<LeftOut>> left_out_at_;
  std::size_t left_out_count_ = 0;
  std::uint64_t left_out_total_ = 0;
  bool left_out_kept_ = true;
  Coverage proved_before_;  // when preemptions that had been left out turned out to matter
  std::string note_;
  bool found_region_ = false;  // one in which threads are not preempted
  bool regions_ = false;       // the search has begun knowing that
  bool left_out_ = false;      // states were known
  bool cut_off_ = false;       // schedules beyond the greatest bound are known to exist
  std::uint64_t lost_ = 0;
  std::size_t lost_from_ = std::numeric_limits<std::size_t>::max();  // least preemptions of a lost plan
};

}  // namespace heddle
