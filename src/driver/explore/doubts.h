// Failures and races on their way to the report. A failure on a snapshot is in doubt if it does not come again in a
// fresh process. Then the same plan runs in a process of its own beside the snapshot. If that execution differs,
// restoring memory was not enough: the failure is dropped, and the search begins anew under fork. Other failures wait
// until the doubt is settled.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "driver/execute/executor.h"
#include "driver/explore/bugs.h"
#include "driver/explore/run_clock.h"

namespace heddle {

// A failure, or a race.
struct Found {
  Plan plan;
  Execution execution;
  Outcome outcome;
  ModuleMap modules;
  Config config;
  Origin origin;
  std::optional<ExecutionRace> race;  // that and not how it ended
};

class Doubts {
 public:
  Doubts(const RunOptions& options, Executor& executor, BugCollector& bugs)
      : options_(options), executor_(executor), bugs_(bugs) {}

  // Is something in doubt? Then no more plans are to be handed out.
  bool any() const { return !waiting_.empty(); }
  // Reports it, or doubts it. True: the search ends with it.
  bool judge(Found&& found);
  // Snapshots are not to blame, or nobody knows: each is reported as it is, and all races, also where a failure ends
  // the search. True: one does.
  bool resolve();
  // They were none, as far as is known. Races may be found again.
  std::vector<Found> drop();
  // Of what was dropped, the first `doubted` waited here, the others elsewhere: the very first of these did not come
  // again in a fresh process. What is another failure is reported if it does. True: the search ends with it.
  bool examine(const std::vector<Found>& dropped, std::size_t doubted, const RunClock& clock);

 private:
  BugCollector::Added add(const Found& found, BugCollector::Trust trust);
  void set_folder();

  const RunOptions& options_;
  Executor& executor_;
  BugCollector& bugs_;
  std::vector<Found> waiting_;
};

}  // namespace heddle
