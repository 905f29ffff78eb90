// Runs plans on as many workers as pay, under the isolation that the program needs. The explore loop sees one stream of
// events and knows nothing of either.
//
//   --isolation=auto  begins with snapshots. An execution that is about to do what memory can't undo is stopped before
//                     that; all plans that are not done go on under fork isolation, or in a fresh process each.
//   checks            now and then a plan that went well on a snapshot is run again in a process of its own, and must
//                     give the same trace. If not, nothing that was learned can be believed: Restarted.
//   repetition        the first plan is run until two successive executions of it are alike (--prime), the next ones
//                     twice (--determinism-check), and each further worker begins with the first plan: what the program
//                     gets from outside shows itself before much has been learned. Where there is no further worker,
//                     the program is started once more for that: what it gets before its first thread is the same in
//                     all executions of one worker.
//   imperfect replay  a plan that can't be followed is tried again (attempts.h).
//   -j N              further workers begin once the first has shown that it gets on; each has a CPU of its own.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "driver/execute/attempts.h"
#include "driver/execute/instability.h"
#include "driver/execute/same_sites.h"
#include "driver/execute/worker.h"
#include "driver/process/cpu.h"
#include "driver/target/loaded_files.h"
#include "report/report.h"

namespace heddle {

// What was learned so far does not hold: the search is to begin again.
struct Restarted {
  std::string why;
};

using ExecutorEvent = std::variant<ExecutionFinished, PlanLost, EndedBeforeBranching, WorkerFailed, Restarted>;

class Executor {
 public:
  Executor(const Target& target, const RunOptions& options);

  // `besides`: of what was taken, so many plans are not the search's.
  bool can_take(std::size_t besides = 0) const;
  void submit(Plan&& plan);
  // Nothing that was taken so far is to come any more: another search begins, with a fresh target, whose plans may have
  // the same ids.
  void begin_anew();
  // The next event; nothing when there is none within `limit`. With one worker, events come in the order of submission.
  std::optional<ExecutorEvent> poll(std::chrono::milliseconds limit);
  std::size_t outstanding() const;
  // Are checks under way? They are not among what is outstanding, and what was learned holds only once they are done.
  bool checking() const;
  // May what failed, in the event that came last, be the snapshot's doing, and can that be looked at?
  bool may_doubt() const;
  // Looks at it; only while may_doubt(). If so, Restarted comes; else nothing, and there are no checks under way any
  // more.
  void doubt(const Plan& plan, const Execution& execution);
  // To be asked before the search ends, when nothing is outstanding: true if there is one more check to be waited for.
  bool begins_last_check();
  // What executions are run under by now.
  IsolationKind isolation() const { return isolation_; }
  bool branching() const { return !workers_.empty() && workers_.front()->worker->branching(); }
  // Of the worker whose event came last.
  ModuleMap modules() const { return workers_[last_]->worker->modules(); }
  const Config& config() const { return workers_[last_]->worker->config(); }
  // Does each process have other addresses?
  bool randomized() const { return workers_.front()->worker->randomized(); }
  // By which it knows places again then.
  FileNumbers& numbers() { return numbers_; }
  const FileNumbers& numbers() const { return numbers_; }
  LoadedFiles& files() { return files_; }
  void reuse(std::unique_ptr<Execution> execution);
  // Two executions of one plan that differed, if there were such since the last call. There may be more plans' worth.
  std::optional<Instability> take_instability() { return std::exchange(instability_, std::nullopt); }
  std::vector<std::string> take_notes();
  void keep_all_output(bool yes);

  // What a report says of how executions were run.
  void tell(Report& report) const;
  // Memory that the workers keep for putting pages back.
  std::uint64_t saved_bytes() const;

  // What the program made in the present folder before its first thread. It stays there: only in a folder of its own,
  // without these, does a fresh start find what the first one found.
  const std::vector<std::string>& made_files() const { return made_files_; }
  // Does every execution have a scratch folder of its own?
  bool in_own_folder() const { return scratch_; }

 private:
  struct Slot {
    CpuClaim cpu;
    std::unique_ptr<Worker> worker;
    std::size_t checks = 0;  // under way, among what is outstanding at the worker

    std::size_t plans() const;
    bool can_take() const;
    bool checking() const { return checks != 0 && worker->outstanding() != 0; }
  };
  static constexpr std::size_t kMostChecks = 16;         // that one worker has at once, beside its plans
  static constexpr PlanId kCheckFlag = PlanId{1} << 62;  // the other bits of a check's id are its number
  static bool is_check(PlanId plan) { return (plan & kCheckFlag) != 0; }

  enum class CheckKind {
    OwnProcess,       // on a snapshot, then in a process of its own
    OwnProcessAgain,  // these differed: once more in a process of its own, to tell snapshots from the program
    Again,            // twice in the same way
    NewWorker         // by the first worker and by a further one
  };
  struct Check {
    Plan plan;
    Execution expected;
    CheckKind kind;
    std::string where;  // OwnProcessAgain: the difference that was seen
  };

  std::unique_ptr<Slot> make_slot();
  void add_worker();
  void grow();
  void deal();
  bool goes_on_dealing() const;
  bool has_outside_effects() const;
  std::size_t least_loaded() const;
  std::optional<ExecutorEvent> look();
  std::optional<ExecutorEvent> pass(WorkerEvent& event);
  void note_which_program();
  void on_finished(ExecutionFinished& event, std::optional<ExecutorEvent>& passed);
  std::optional<ExecutorEvent> on_checked(const Execution& execution);
  std::optional<ExecutorEvent> on_own_process(Check& check, const Execution& execution);
  std::optional<ExecutorEvent> snapshots_are_unfaithful(const std::string& where);
  bool rehearse(ExecutionFinished& event);
  bool on_not_followed(ExecutionFinished& event, std::optional<ExecutorEvent>& passed);
  void check_new_worker();
  bool is_time_for_fresh_start() const;
  bool compare_with_fresh_start();
  void look_at_fresh_start();
  void drop_worker();
  void report_difference(const Difference& difference, Execution expected, Execution seen, bool other_process);
  void put_back(Plan plan);
  void run_again(ExecutionFinished& event);
  void run_elsewhere(Plan plan);
  void begin_with(Plan plan);
  void on_effect(ExecutionFinished& event);
  void change_isolation(IsolationKind kind, const std::string& why);
  bool drop_failed_worker(const WorkerEvent& event);
  void check_later(const Plan& plan, const Execution& execution);
  void check(Slot& slot, Plan plan, const Execution& expected, CheckKind kind, std::string where = {});
  void drop_check(PlanId plan);
  void look_for_new_files();
  void take_back_all();
  void wait(std::chrono::milliseconds limit);
  void note(std::string text) { notes_.push_back(std::move(text)); }

  const Target& target_;
  const RunOptions& options_;
  FileNumbers numbers_;
  LoadedFiles files_;
  IsolationKind isolation_;
  bool scratch_ = false;
  bool isolation_changed_ = false;  // at an effect, and said so
  bool outside_effects_ = false;    // seen under an isolation that was given up
  std::size_t most_workers_;
  std::vector<std::unique_ptr<Slot>> workers_;
  std::size_t last_ = 0;     // whose event came last
  std::size_t dealing_ = 0;  // who gets the next plan
  unsigned dealt_ = 0;       // in a row to the same
  std::size_t waited_for_ = 0;
  std::deque<Plan> waiting_;  // taken, and not yet with a worker, in the order in which they are to be run
  std::set<PlanId> retried_;
  std::vector<Check> checks_;
  PlanId checks_made_ = 0;
  Attempts attempts_;
  bool rehearsed_ = false;
  std::optional<Execution> last_rehearsal_;
  unsigned rehearsals_ = 0;
  Plan first_plan_;  // the first that was run to its end, and what came of it: for further workers
  Execution first_execution_;
  std::unique_ptr<Slot> fresh_start_;  // runs the first plan, and no other
  bool started_afresh_ = false;        // some process but the first worker's has run the first plan, or is to
  unsigned repeated_ = 1;              // plans that were run twice, the first among them
  bool unstable_ = false;              // seen to differ from one execution to the next: no more checks
  std::optional<Instability> instability_;
  std::uint64_t finished_ = 0;
  std::chrono::steady_clock::time_point first_finished_;
  std::uint64_t next_check_ = 2;  // number of the execution
  bool keep_all_output_ = false;
  bool fallback_noted_ = false;
  bool switches_by_call_noted_ = false;
  bool looked_for_files_ = false;
  std::vector<std::string> made_files_;
  std::vector<std::string> notes_;
};

}  // namespace heddle
