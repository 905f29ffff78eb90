// Which statements came directly before which in good runs: the coverage of HaPSet.
//
// Source: Wang, Said, Gupta, Coverage guided systematic concurrency testing, ICSE 2011, sections 3 and 4. The
// history-aware predecessor set of a statement holds the statements of other threads on which one of its events
// depended directly: a write before a read, a read or a write before a write, a lock before a lock, a signal before a
// wait. Unlocks are left out, so what a thread does under its lock is one piece. A thread that takes a recursive lock
// again does not depend on others.
//
// Where we deviate: a statement is a place in the code, which is finer than a line. What else an operation can come to
// counts as an order, too: a wait ends by its time or for nothing, a try fails, another waiter wakes.
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
  // (the earlier statement, the later one)
  using Pair = std::pair<Site, Site>;

  // Learns from an execution if it was a good one. How many orders were new.
  std::size_t learn(const Execution& execution);
  bool seen(Site earlier, Site later) const {
    return pairs_.contains({earlier, later}) || (seen_before_ && seen_before_(earlier, later));
  }
  // The same of the other way of an operation: its variant.
  bool seen_variant(Variant variant, Site site) const { return seen(mark_of(variant), site); }
  bool seen_failed(Site site) const { return seen(kFailed, site); }
  // What earlier runs have shown.
  void set_seen_before(std::function<bool(Site, Site)> seen_before) { seen_before_ = std::move(seen_before); }
  const absl::flat_hash_set<Pair>& pairs() const { return pairs_; }
  // Both orders of statements of two threads that touched one object in an execution, and one of them changed it: the
  // orders that there may be.
  const absl::flat_hash_set<Pair>& possible() const { return possible_; }
  // In place of the earlier statement: what else the later one came to, in words. Empty: it is a statement.
  static std::string text_of_mark(Site site);

  std::uint64_t good_runs() const { return good_runs_; }

  template <typename Self, typename Archive>
  static void transfer(Self& self, Archive& archive) {
    archive(self.pairs_, self.possible_, self.good_runs_);
  }

 private:
  // No code lies there.
  static constexpr Site kFailed = 1u << 17;
  static Site mark_of(Variant variant) { return 1 + Site{variant}; }

  // The accesses to one object since it was last changed.
  struct Latest {
    struct By {
      Site site = 0;
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
  std::size_t note(Latest& latest, const StepRecord& step, bool wrote);

  absl::flat_hash_set<Pair> pairs_, possible_;
  std::function<bool(Site, Site)> seen_before_;
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
