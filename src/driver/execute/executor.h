// Runs plans on as many workers as pay, under the isolation that the program needs. The explore loop sees one stream of
// events and knows nothing of either.
//
//   --isolation=auto  begins with snapshots. An execution is stopped before it does something that restoring memory
//                     does not undo. All unfinished plans then run under fork isolation, or in a fresh process each
//                     (isolation.h).
//   checks            now and then a plan that went well on a snapshot runs again in a process of its own, and must
//                     give the same trace. If it does not, nothing that was learned can be believed: Restarted.
//   repetition        the first plan runs until two successive executions of it are alike (--prime). The next plans run
//                     twice (--determinism-check). Each further worker begins with the first plan; without a further
//                     worker the program is started once more for that (repetition.h). So differences from outside show
//                     before much has been learned.
//   step limit        an execution that was cut off may run again with a higher limit (step_limit.h).
//   imperfect replay  a plan that can't be followed is tried again (attempts.h).
//   -j N              further workers start once the first has run many executions; each has a CPU of its own
//                     (workers.h).
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "driver/execute/isolation.h"
#include "driver/execute/repetition.h"
#include "driver/execute/same_sites.h"
#include "driver/execute/step_limit.h"
#include "driver/execute/workers.h"
#include "driver/target/loaded_files.h"
#include "report/report.h"

namespace heddle {

// What was learned so far does not hold: the search is to begin again.
struct Restarted {
  std::string why;
};

using ExecutorEvent = std::variant<ExecutionFinished, PlanLost, EndedBeforeBranching, WorkerFailed, Restarted>;

// The files of the program that a search is of, in all its processes.
struct ProgramFiles {
  FileNumbers numbers;  // by which places are known again where each process has other addresses
  LoadedFiles loaded;
};

class Executor {
 public:
  Executor(const Target& target, const RunOptions& options);

  // `besides`: of what was taken, so many plans are not the search's.
  bool can_take(std::size_t besides = 0) const;
  void submit(Plan&& plan);
  // Nothing that was taken so far is to come any more: another search begins, with a fresh target, whose plans may have
  // the same ids.
  void restart();
  // The next event; nothing when there is none within `limit`. With one worker, events come in the order of submission.
  // The execution of the event before has been dropped by then (lent_execution.h).
  std::optional<ExecutorEvent> poll(std::chrono::milliseconds limit);
  std::size_t outstanding() const { return workers_.outstanding(); }
  // Are checks under way? They are not among what is outstanding, and what was learned holds only once they are done.
  bool checking() const { return repetition_.fresh_start_under_way() || workers_.checking(); }
  // May what failed, in the event that came last, be the snapshot's doing, and can that be looked at?
  bool may_doubt() const { return repetition_.may_doubt(); }
  // Looks at it; only while may_doubt(). If so, Restarted comes; else nothing, and there are no checks under way any
  // more.
  void doubt(const Plan& plan, const Execution& execution);
  // To be asked before the search ends, when nothing is outstanding: true if there is one more check to be waited for.
  bool begins_last_check() { return repetition_.begins_last_check(); }
  // Two executions of one plan that differed, if there were such since the last call. There may be more plans' worth.
  std::optional<Instability> take_instability() { return repetition_.take_instability(); }

  // The program in the worker whose event came last.
  const Session& session() const { return workers_.latest().session(); }
  const Isolation& isolation() const { return isolation_; }
  ProgramFiles& files() { return files_; }
  // Plans that are submitted from now on have it. It is replaced between two searches only.
  StepLimit& step_limit() { return step_limit_; }
  // For run --resume.
  template <typename Self, typename Archive>
  static void transfer(Self& self, Archive& archive) {
    archive(self.files_.numbers, self.step_limit_);
  }

  void keep_all_output(bool yes);
  std::vector<std::string> take_notes();
  // What a report says of how executions were run.
  void tell(Report& report) const;
  // Memory that the workers keep for putting pages back.
  std::uint64_t saved_bytes() const;

 private:
  void grow();
  void on_event(WorkerEvent& event, std::optional<ExecutorEvent>& passed);
  void on_finished(ExecutionFinished& event, std::optional<ExecutorEvent>& passed);
  void on_checked(const ExecutionFinished& event, std::optional<ExecutorEvent>& passed);
  void begin_with(Plan plan);

  const Target& target_;
  const RunOptions& options_;
  ProgramFiles files_;
  Isolation isolation_;
  std::vector<std::string> notes_;
  Workers workers_;
  Repetition repetition_;
  StepLimit step_limit_;
  std::size_t most_workers_;
  std::set<PlanId> retried_;  // that were ended from outside, or whose record was damaged
  std::chrono::steady_clock::time_point last_event_ = std::chrono::steady_clock::now();
  std::uint64_t finished_ = 0;
  bool keep_all_output_ = false;
  bool fallback_noted_ = false;
  bool switches_by_call_noted_ = false;
  std::size_t modules_known_ = 0;  // of those that may be of Go
  bool has_go_library_ = false;
};

}  // namespace heddle
