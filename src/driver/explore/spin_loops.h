// Judges executions that go round, or were cut off at the step limit. A loop in which a thread goes round without
// yielding, while others that could go on wait, gives a warning. From then on the loop counts as yielding (SpinSet in
// protocol/places.h), and the search begins anew. Executions that may be endless give a warning, too: one for all of
// them.
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "driver/execute/session.h"
#include "driver/target/options.h"
#include "driver/target/target.h"
#include "trace/execution.h"
#include "trace/modules.h"
#include "trace/plan.h"

namespace heddle {

class SpinLoops {
 public:
  // `options`: whose loops count as yielding already.
  SpinLoops(const Target& target, const RunOptions& options)
      : target_(target), options_(options), loops_(options.spins.begin(), options.spins.end()) {}

  // A process in which executions run.
  struct Process {
    const ModuleMap& modules;
    bool randomized;  // each process has other addresses
  };
  // Was it cut off, or did a thread keep others waiting? Only then take() is of use: is that no bug?
  static bool concerns(EndKind end) { return end == EndKind::GoodSamaritan || end == EndKind::StepLimit; }
  // Where services that the user has declared wait for a time: places that were not seen before are new loops.
  void look_for_services(const Execution& execution, const Session& session);
  // Where threads wake again and again, once so many schedules have run: their ticks may fill the search. Likewise.
  void look_for_ticks(const Execution& execution, const Session& session, std::uint64_t schedules);
  // Those of which no thread was seen to wait for a time: a sentence each.
  std::vector<std::string> about_services() const;
  bool take(const Execution& execution, const Plan& plan, const Process& process);
  // Of the loop that was found last; empty: there is none, or its place has been named before.
  std::string take_warning() { return std::exchange(warning_, {}); }

  // Are there more than those that count as yielding?
  bool any_new() const { return loops_.size() != options_.spins.size(); }
  bool any_new_but_ticks() const { return count_others(all()) != count_others(options_.spins); }
  std::vector<SpinLoop> all() const { return {loops_.begin(), loops_.end()}; }
  // Where the threads were when the first execution was cut off at the step limit.
  const std::string& first_cut_off() const { return first_cut_off_; }
  // The search begins anew.
  void restart() { first_cut_off_.clear(); }

  template <typename Self, typename Archive>
  static void transfer(Self& self, Archive& archive) {
    archive(self.loops_, self.named_, self.first_cut_off_, self.seen_services_);
  }

 private:
  // Does it go round in a loop that counts as yielding from here on, or from the next restart on?
  bool learn(const Execution& execution, const Plan& plan, const Process& process);

  // Did it go on to its limit because some threads only tick, at places that count as those of services from here on?
  bool learn_services(const Execution& execution, const Process& process);

  static std::size_t count_others(const std::vector<SpinLoop>& loops);

  const Target& target_;
  const RunOptions& options_;
  std::set<SpinLoop> loops_;
  std::set<std::string> named_;  // places
  std::string warning_;
  std::string first_cut_off_;
  std::set<std::string> seen_services_;                // names that the user has declared
  std::set<std::pair<TaskId, Site>> waits_looked_at_;  // of a process
  unsigned looks_for_ticks_ = 0;
};

}  // namespace heddle
