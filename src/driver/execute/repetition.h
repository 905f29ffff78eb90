// Plans that run more than once, for the executor: the first one until it settles (rehearsal.h), some as checks
// (checks.h, fresh_start.h), and those that could not be followed (attempts.h). It remembers what they show: whether
// the program does the same each time.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "driver/execute/attempts.h"
#include "driver/execute/checks.h"
#include "driver/execute/fresh_start.h"
#include "driver/execute/instability.h"
#include "driver/execute/rehearsal.h"
#include "driver/execute/workers.h"

namespace heddle {

class Repetition {
 public:
  // `notes`: where notes for the user go. `launch` as for the workers.
  Repetition(const RunOptions& options, const LaunchOptions& launch, const Isolation& isolation, Workers& workers,
             std::vector<std::string>& notes);

  // What is to become of the execution of a plan. Where the plan is run again, this has been seen to.
  enum class Then {
    Count,   // it is what came of the plan
    PassOn,  // it is not, but whoever asked for the plan is to see it
    Drop
  };
  Then after(ExecutionFinished& event);

  // Of one that counts, the number `finished`: begins checks, if it is time for one. `alone`: there will be no further
  // worker.
  void check_later(const ExecutionFinished& event, std::uint64_t finished, bool alone);
  // A further worker is a fresh start of the program: it begins with what the first one began with.
  void check_newest_worker();
  // A check has come. Not empty: snapshots are not faithful, and this shows it.
  std::string on_checked(const ExecutionFinished& event);
  void on_check_lost(PlanId plan);

  // See Executor.
  bool may_doubt() const;
  void doubt(const Plan& plan, const Execution& execution);
  bool begins_last_check() { return !fresh_start_.settled() && begin_fresh_start(); }
  std::optional<Instability> take_instability() { return std::exchange(instability_, std::nullopt); }

  // The process beside the workers, if there is one.
  bool fresh_start_under_way() const { return fresh_start_.under_way(); }
  void check_fresh_start();
  void wait_for_fresh_start(std::chrono::milliseconds limit) { fresh_start_.wait(limit); }

  // Other workers begin: what checks are under way does not come any more.
  void drop_checks();
  // Another search begins: besides, plans of the one before, whose ids come again.
  void restart();

 private:
  bool rehearse(ExecutionFinished& event);
  Then after_attempt(ExecutionFinished& event);
  bool is_time_for_fresh_start(std::uint64_t finished, bool alone) const;
  bool begin_fresh_start();
  void report(const Divergence& divergence, Execution expected, const Execution& seen, bool other_process);

  const RunOptions& options_;
  const Isolation& isolation_;
  Workers& workers_;
  std::vector<std::string>& notes_;
  Rehearsal rehearsal_;
  Checks checks_;
  FreshStart fresh_start_;
  Attempts attempts_;
  bool unstable_ = false;  // seen to differ from one execution to the next: no more checks
  std::optional<Instability> instability_;
};

}  // namespace heddle
