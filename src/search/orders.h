// Which statements came directly before which in good runs: the coverage of HaPSet.
//
// Source: Wang, Said, Gupta, Coverage guided systematic concurrency testing, ICSE 2011, sections 3 and 4. The
// history-aware predecessor set of a statement holds the statements of other threads on which one of its events
// depended directly: a write before a read, a read or a write before a write, a lock before a lock, a signal before a
// wait. Unlocks are left out, so what a thread does under its lock is one piece. A thread that takes a recursive lock
// again does not depend on others.
//
// Where we deviate: a statement is a place in the code, which is finer than a line; with a context of k, as in
// definition 2, with the call stack up to the k-th function of the user's. What else an operation can come to counts as
// an order, too: a wait ends by its time or for nothing, a try fails, another waiter wakes.
#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <compare>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "search/lookahead.h"
#include "search/reversals.h"
#include "trace/execution.h"

namespace heddle {

class StatementOrders {
 public:
  // A place, or a number that stands for a part of a call stack.
  using Statement = Site;
  // (the earlier statement, the later one)
  using Pair = std::pair<Statement, Statement>;

  // Statements are told apart by so many functions of the user's on the call stack. `is_users`: is this place in one?
  // With more than 1, executions must have call stacks.
  void set_context(unsigned functions, std::function<bool(Site)> is_users) {
    context_ = functions;
    is_users_ = std::move(is_users);
  }
  // Of an operation at a place with a call stack; null: there is none, and the place decides.
  Statement statement(Site site, const std::vector<Site>* stack) const;
  Statement statement(const NextOperation& operation) const { return statement(operation.site, operation.stack); }
  // The places that make a statement up, innermost first.
  std::vector<Site> places_of(Statement statement) const;

  // Learns from an execution if it was a good one. How many orders were new.
  std::size_t learn(const Execution& execution);
  bool seen(Statement earlier, Statement later) const {
    return pairs_.contains({earlier, later}) || (seen_before_ && seen_before_(earlier, later));
  }
  // The same of the other way of an operation: its variant.
  bool seen_variant(Variant variant, Statement later) const { return seen(mark_of(variant), later); }
  bool seen_failed(Statement later) const { return seen(kFailed, later); }
  // What earlier runs have shown.
  void set_seen_before(std::function<bool(Statement, Statement)> seen_before) { seen_before_ = std::move(seen_before); }
  const absl::flat_hash_set<Pair>& pairs() const { return pairs_; }
  // Both orders of statements of two threads that touched one object in an execution, and one of them changed it: the
  // orders that there may be.
  const absl::flat_hash_set<Pair>& possible() const { return possible_; }
  // In place of the earlier statement: what else the later one came to, in words. Empty: it is a statement.
  static std::string text_of_mark(Statement earlier);

  std::uint64_t good_runs() const { return good_runs_; }

  template <typename Self, typename Archive>
  static void transfer(Self& self, Archive& archive) {
    archive(self.pairs_, self.possible_, self.good_runs_, self.stacks_);
  }

 private:
  // No code lies there.
  static constexpr Statement kFailed = 1u << 17;
  static Statement mark_of(Variant variant) { return 1 + Statement{variant}; }

  // The accesses to one object since it was last changed.
  struct Latest {
    struct By {
      Statement statement = 0;
      TaskId task = kNoTask;
      bool wrote = false;
      auto operator<=>(const By&) const = default;
    };
    By changed;
    std::vector<By> looked;
    std::vector<By> all;  // each once, as far as they are kept
  };
  static void note_all(Latest& latest, const Latest::By& one);
  void note_possible();
  std::size_t note(Latest& latest, const Latest::By& one);
  // How many of a call stack's places make a statement up.
  std::size_t depth_of(const std::vector<Site>& stack) const;

  unsigned context_ = 1;
  std::function<bool(Site)> is_users_;
  absl::flat_hash_set<Pair> pairs_, possible_;
  mutable absl::flat_hash_map<Statement, std::vector<Site>> stacks_;  // of the statements that are numbers, so far
  std::function<bool(Statement, Statement)> seen_before_;
  std::uint64_t good_runs_ = 0;
  absl::flat_hash_map<ObjectId, Latest> latest_;  // of the present execution
};

// Would the other order of a race be one that no good run has shown?
bool is_new_order(const Race& race, const Lookahead& lookahead, const StatementOrders& orders);
// The same of another way of a task's operation before a step: a waiter that wakes, a timeout.
bool is_new_variant(std::uint32_t step, Choice choice, const Lookahead& lookahead, const StatementOrders& orders);

// Would a choice bring an order that no good run has shown? (Section 5.1: backtracking points are those of
// partial-order reduction, where the order that they would bring is new.)
class NewOrders {
 public:
  explicit NewOrders(bool early_timeouts) : reversals_(early_timeouts) {}
  void begin(const Lookahead& lookahead, std::uint32_t first, const StatementOrders& orders);
  bool are_brought_by(std::uint32_t step, Choice choice) const;

 private:
  const Lookahead* lookahead_ = nullptr;
  const StatementOrders* orders_ = nullptr;
  Reversals reversals_;
};

}  // namespace heddle
