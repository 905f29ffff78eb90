// A strategy is a source of plans that learns from executions. One file per strategy; nothing here or in a lower layer
// knows of carriers, isolation or processes.
//
// To add a strategy: a file with a class derived from Strategy and its entry (strategy_entry.h), and a line in
// search/registry.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "analysis/graph_hash.h"
#include "search/shard.h"
#include "trace/execution.h"
#include "trace/plan.h"
#include "trace/state_archive.h"

namespace heddle {

// No plan now: results are outstanding and may bring more.
struct Wait {};
// No plan any more: everything this strategy promises to run has been run.
struct Exhausted {};
using Next = std::variant<Plan, Wait, Exhausted>;

// What a strategy promises. What reports say of a search follows from this and from its Coverage.
struct Promise {
  // Every schedule with at most N of these is run before any with more: "preemption". Empty: it has no bounds.
  std::string_view bounds = {};
  // Its schedules are a choice of those that there are, and how they come: "drawn at random". Empty: when it has come
  // to its end, all have been run, or one of each set that counts as equivalent.
  std::string_view draws = {};
  // Executions are fair: a thread that yields in vain lets the others go first, so waiting by yielding ends.
  bool fair = true;
  // A thread may be slow: at a clock read a second passes first, which counts as one of the bound.
  bool slow_threads = true;
  // Where the thread that ran last can't go on, to switch to any other costs nothing of the bound.
  bool switches_free = false;
  // The option by which no schedule is pruned that counts as equivalent to another; empty: there is none.
  std::string_view exact = {};
  // What to search by where it knows too little of the program: "--search=bounded".
  std::string_view instead = {};
};

// What may be promised now.
struct Coverage {
  bool complete = false;           // nothing is left to explore, whatever the bound
  bool up_to_equivalence = false;  // what was not run is equivalent to what was
  bool symmetric = false;          // threads that were started alike counted as interchangeable (distinctions.h)
  bool early_ends = false;         // ends of the process were pruned, as they come at the beginning of what was run
  bool regions_kept = false;       // threads were not preempted where the program said so (heddle_atomic_begin)
  bool memory_decides = false;     // not so: what threads do depends on what is not looked at
  bool guided = false;             // not so: only what brings new orders of statements was run (orders.h)
  bool distrusted = false;         // not so: schedules that count as equivalent were seen to differ
  int bound_proved = -1;           // every schedule with at most so many (Promise::bounds) was run; -1 = none
  int preemption_bound = -1;       // the same of preemptions, by a part whose claim this is not
  std::uint64_t schedules_at_bound = 0;  // how many that were
  std::uint64_t lost = 0;                // plans whose coverage had to be withdrawn
  std::uint64_t pending = 0;             // known and not yet run
  std::uint64_t pruned = 0;              // choices that were not made, since they bring nothing that differs
  int bound_in_progress = 0;
  double next_bound = 0;  // about so many schedules have one more than bound_proved; 0: nobody can tell
};

// What a part of a strategy has done that consists of several.
struct PartReport {
  std::string_view name;        // of its own entry
  std::uint64_t schedules = 0;  // that it has run
  std::uint64_t classes = 0;    // of them, different from all before in more than the order of independent steps
};
struct StrategyEntry;

class Strategy {
 public:
  virtual ~Strategy() = default;
  // The next plan to run. May be called again while earlier plans are outstanding.
  virtual Next next() = 0;
  // Exactly once per plan that ran, in any order; crashed and stopped executions included.
  virtual void learn(const Execution& execution) = 0;
  // In place of learn() when the plan brought no usable execution.
  virtual void lost(PlanId plan) = 0;
  // What HappensBefore::hash() gives for the execution that was learned last, where the strategy has it at hand.
  virtual std::optional<GraphHash> hash_of_last() const { return {}; }
  virtual Coverage coverage() const = 0;
  // How many schedules there will have been at the end of the bound in progress (of the whole search, where there are
  // no bounds); 0: can't be said.
  virtual double estimated_total() const { return 0; }
  // So many times more or fewer it may be, by what is known of it; beside how the estimate wanders. Infinity: too
  // little is known.
  virtual double estimated_spread() const { return 1; }
  // How many of these have been run; nothing: all schedules are.
  virtual std::optional<std::uint64_t> estimated_of() const { return {}; }
  // All of it, for another process that goes on with the same options (run --resume); what is outstanding counts as not
  // yet run. A member that outlives an execution belongs into its class's transfer() (trace/state_archive.h).
  virtual void save(StateWriter& writer) const = 0;
  // Into a strategy that has just been made. False: this can't be used, nor can the strategy now.
  virtual bool restore(StateReader& reader) = 0;
  // What save() wrote last is on disk: what it does without is not needed any more.
  virtual void state_was_kept() {}
  // Does it leave schedules out that are equivalent to others?
  virtual bool reduces() const { return false; }
  // Two schedules that count as equivalent were seen to differ, as `why` says: from here on none is to be pruned, or
  // nothing is to be promised.
  virtual void distrust(const std::string& /*why*/) {}
  // A plan could not be followed, as often as it was tried: why that need not be the program's fault. Empty: it is.
  virtual std::string why_not_followed(const Plan& /*plan*/, const Execution& /*execution*/) const { return {}; }
  // Whose promise coverage() is about; null: that of its own entry.
  virtual const StrategyEntry* proved_by() const { return nullptr; }
  // Which of its parts has made the plan, by its name; empty: it has no parts.
  virtual std::string_view part_of(PlanId /*plan*/) const { return {}; }
  virtual std::vector<PartReport> parts() const { return {}; }
  // Nothing that was learned of schedules holds any more, since they have other steps from here on. False: it can't go
  // on, another one must be made.
  virtual bool begin_anew() { return false; }
  // What has become of the shard that it was to search; nothing of one that searches everything.
  virtual ShardProgress shard_progress() const { return {}; }
  // Something the user should know, once; places and objects as in driver/explore/note_places.h; empty: there is
  // nothing.
  virtual std::string take_note() { return {}; }
};

}  // namespace heddle
