// Which statements came directly before which in good runs: the coverage of HaPSet.
//
// Source: Wang, Said, Gupta, Coverage guided systematic concurrency testing, ICSE 2011, sections 3 and 4. The
// history-aware predecessor set of a statement holds the statements of other threads on which one of its events
// depended directly: a write before a read, a read or a write before a write, a lock before a lock, a signal before a
// wait. Unlocks are left out, so what a thread does under its lock is one piece. A thread that takes a recursive lock
// again does not depend on others.
//
// Where we deviate: a statement is a place in the code, which is finer than a line. That a wait ended by its time, or
// for nothing, and which of several waiters or answers it was, are such orders, too.
#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "search/lookahead.h"
#include "trace/execution.h"

namespace heddle {

class StatementOrders {
 public:
  // (the earlier statement, the later one)
  using Pair = std::pair<Site, Site>;

  // Learns from an execution if it was a good one. How many orders were new.
  std::size_t learn(const Execution& execution);
  bool seen(Site earlier, Site later) const { return pairs_.contains({earlier, later}); }
  // The same of the other way of an operation: its variant.
  bool seen_variant(Variant variant, Site site) const { return pairs_.contains({mark_of(variant), site}); }

  std::size_t size() const { return pairs_.size(); }
  std::uint64_t good_runs() const { return good_runs_; }

  template <typename Self, typename Archive>
  static void transfer(Self& self, Archive& archive) {
    archive(self.pairs_, self.good_runs_);
  }

 private:
  // No code lies there.
  static Site mark_of(Variant variant) { return 1 + Site{variant}; }

  // The accesses to one object since it was last changed.
  struct Latest {
    struct By {
      Site site = 0;
      TaskId task = kNoTask;
    };
    By changed;
    std::vector<By> looked;
  };
  std::size_t note(Latest& latest, const StepRecord& step, bool wrote);

  absl::flat_hash_set<Pair> pairs_;
  std::uint64_t good_runs_ = 0;
  absl::flat_hash_map<ObjectId, Latest> latest_;  // of the present execution
};

// Is it left out of what statements depend on?
bool is_left_out(OperationKind kind);

// Would a choice bring an order that no good run has shown?
class NewOrders {
 public:
  void begin(const Lookahead& lookahead, std::uint32_t first);
  bool are_brought_by(std::uint32_t step, Choice choice, const StatementOrders& orders) const;

 private:
  const Lookahead* lookahead_ = nullptr;
  absl::flat_hash_map<ObjectId, std::vector<std::uint32_t>> steps_on_;  // ascending
};

}  // namespace heddle
