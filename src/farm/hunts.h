// The coordinator's half of hunts, as pure logic. A hunt is a shard in which a search draws schedules at random: it
// finds bugs that lie many preemptions away, and proves nothing. Hunts run beside the shards of a bound (merge.h).
//
// So many of them wait at any time, in a queue of their own: each worker says how much of its time they get.
//
// What hunts have learned goes to later hunts only: racing places and loops, since a bound must not depend on what was
// drawn; and which search brings classes that no hunt has come to before. Every second hunt goes to the search whose
// last hunt brought most of them a second, the others come in turn. So knowledge decides what comes first, and leaves
// nothing out.
//
// All of it follows from the results in their order, as in the merge.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "farm/messages.h"

namespace heddle::farm {

// What has become of a result.
enum class Taken {
  Ignored,  // its shard has a result, or was dropped
  Counted,  // there may be more shards than before
  Again,    // it makes no sense, or its process broke down: its shard is to be run again
  Anew,     // all other shards of the bound are dropped: it begins anew
};

class Hunts {
 public:
  struct Options {
    std::vector<std::string> searches = {};  // by name; none: nobody hunts
    std::size_t waiting = 1;                 // so many hunts wait at any time
    double longest_s = 10;                   // budget of a hunt
  };
  explicit Hunts(const Options& options);

  // Those without a result, by their number. No shard of a bound has such a number.
  const std::map<ShardId, Shard>& waiting() const { return waiting_; }
  bool is_one(ShardId id) const { return id >= kFirst; }
  // Where it counts, another hunt waits instead.
  Taken take(const ShardResult& result);
  // Is there anything in it that counts?
  static bool is_fit(const ShardResult& result);
  // All work of the farm so far, in seconds of workers: the budget of hunts grows with it.
  void set_worked(double seconds) { worked_s_ = seconds; }

  struct Search {
    std::string name;
    std::uint64_t schedules = 0;
    double new_a_second = 0;  // classes that the last hunt was the first to come to
    unsigned failures = 0;    // in a row
  };
  const std::vector<Search>& searches() const { return searches_; }
  std::uint64_t schedules() const;
  std::uint64_t done() const { return done_; }
  const SmallestHashes& classes() const { return classes_; }
  // Why nobody hunts any more: the last hunts of each search came to nothing. Empty: somebody does, or was never to.
  std::string ended_because() const;

 private:
  static constexpr ShardId kFirst = ShardId{1} << 62;
  void add();
  std::size_t next_search();
  static bool is_given_up(const Search& search);

  Options options_;
  std::vector<Search> searches_;
  std::map<ShardId, Shard> waiting_;
  std::uint64_t begun_ = 0, in_turn_ = 0, done_ = 0;
  double worked_s_ = 0;
  SmallestHashes classes_;
  std::set<CodePlace> points_;
  std::set<SpinLoop> spins_;
  std::map<ShardId, unsigned> unfit_;  // how many results of a hunt were of no use
  std::string failed_;
};

}  // namespace heddle::farm
