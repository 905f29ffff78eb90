// The coordinator's half of a farm as pure logic: which shards are to be run, and what their results prove.
//
// A bound is searched as a whole, beginning with one shard: the default schedule with all that it leads to within the
// bound. What a worker did not reach in its time becomes further shards. So at each moment the subtrees that wait,
// and those that were run, are all schedules within the bound, each once: a result takes its shard away and brings what
// it has left (bounded.h says why a subtree is run without gaps and without doubles). When no shard waits, the bound is
// done. The next bound begins anew: its schedules with fewer preemptions run again, a small part where a preemption
// more means ten times as many schedules (iterative deepening: Korf, Artificial Intelligence 27, 1985). In exchange no
// more than what waits ever travels.
//
// Why the answer is the same whatever the workers do. Within a bound nothing is pruned, so which schedules there are
// follows from the program, and from the places and loops that count as scheduling points and as yielding. A result
// that knows more of those than its shard did takes all shards of the bound with it, and the bound begins anew. A
// schedule stays one with the same preemptions when points are added, so what it has shown is shown again: the places
// with which a bound comes to its end are the least set that is closed under what its schedules show, however they were
// found. Numbers of schedules are sums, classes and bugs are sets. A result counts once, by the shard's number.
//
// All of it follows from the results in their order. A coordinator that was killed takes them once more, from the first
// one on.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "farm/hunts.h"
#include "farm/messages.h"

namespace heddle::farm {

class Merge {
 public:
  struct Options {
    std::optional<unsigned> max_preemptions = {};
    bool keep_going = false;  // behind a bug
    std::size_t pieces = 8;   // so many shards are to wait at least, as far as there are subtrees
    double longest_s = 10;    // budget of a shard
    Hunts::Options hunts = {};
  };

  explicit Merge(const Options& options);

  // Those of the bound without a result, by their number.
  const std::map<ShardId, Shard>& waiting() const { return waiting_; }
  // Beside them; what they find are bugs, and nothing else counts.
  const Hunts& hunts() const { return hunts_; }
  Taken take(const ShardResult& result);
  // No more results are wanted.
  bool over() const { return over_; }

  // What is known of all schedules with at most so many preemptions.
  struct Answer {
    int bound = -1;  // -1: nothing is
    std::uint64_t schedules = 0;
    std::uint64_t cut_off = 0;  // of them, those that did not end within the limit of steps
    SmallestHashes classes;
    bool complete = false;  // there are no others
  };
  const Answer& proved() const { return proved_; }
  // Of the bound in progress, so far.
  unsigned bound() const { return bound_; }
  std::uint64_t schedules() const { return now_.schedules; }
  // Of those that an answer can be about, else of the bound in progress.
  std::uint64_t cut_off() const { return judged().cut_off; }
  // None of them came to its end within the limit of steps.
  bool all_cut_off() const { return cut_off() != 0 && cut_off() >= judged().schedules; }
  std::uint64_t lost() const { return lost_; }
  // In all, those of hunts, and those that were run for nothing or for the next bound again, too.
  std::uint64_t schedules_in_all() const { return schedules_in_all_; }
  std::uint64_t shards_done() const { return shards_done_; }
  double seconds_of_workers() const { return seconds_; }
  // By their keys; of several traces the one with the fewest preemptions, then the shortest.
  const std::map<std::string, FarmBug>& bugs() const { return bugs_; }
  const std::set<CodePlace>& points() const { return points_; }
  // Why nothing more can be said; empty: something can.
  const std::string& failed() const { return failed_; }

 private:
  const Answer& judged() const { return proved_.schedules != 0 ? proved_ : now_; }
  void begin_bound(unsigned bound);
  void add_shards(const Subtrees& subtrees);
  double budget_s() const;
  void count(const ShardResult& result);
  bool learn(const ShardResult& result);
  Taken run_again(ShardId id, const std::string& why_not);
  void end_bound();

  Options options_;
  Hunts hunts_;
  std::map<ShardId, Shard> waiting_;
  ShardId next_id_ = 1;
  unsigned bound_ = 0;
  Answer now_, proved_;
  bool beyond_ = false;  // schedules with more preemptions than the bound in progress are known
  std::uint64_t lost_ = 0, schedules_in_all_ = 0, shards_done_ = 0;
  double seconds_ = 0, seconds_of_bound_ = 0;
  std::map<std::string, FarmBug> bugs_;
  std::set<CodePlace> points_;
  std::set<SpinLoop> spins_;
  std::map<ShardId, unsigned> unfit_;  // how many results of a shard were of no use
  std::string failed_;
  bool over_ = false;
};

// Empty, or why this can't be a result of that shard.
std::string misfit(const Shard& shard, const ShardResult& result);

}  // namespace heddle::farm
