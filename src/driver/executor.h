// Runs plans on as many workers as pay, under the isolation that the program needs. The explore loop sees one stream of
// events and knows nothing of either.
//
//   --isolation=auto  begins with snapshots. An execution that is about to do what memory can't undo is stopped before
//                     that; all plans that are not done go on under fork isolation, or in a fresh process each.
//   checks            now and then a plan that went well on a snapshot is run again in a process of its own, and must
//                     give the same trace. If not, nothing that was learned can be believed: Restarted.
//   -j N              further workers begin once the first has shown that it gets on; each has a CPU of its own.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "driver/cpu.h"
#include "driver/worker.h"
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

  bool can_take() const;
  void submit(Plan plan);
  // The next event; nothing when there is none within `limit`. With one worker, events come in the order of submission.
  std::optional<ExecutorEvent> poll(std::chrono::milliseconds limit);
  std::size_t outstanding() const;
  // Are checks under way? They are not among what is outstanding, and what was learned holds only once they are done.
  bool checking() const;
  bool branching() const { return !workers_.empty() && workers_.front()->worker->branching(); }
  // Of the worker whose event came last.
  ModuleMap modules() const { return workers_[last_]->worker->modules(); }
  const Config& config() const { return workers_[last_]->worker->config(); }
  void reuse(Execution&& execution);
  std::vector<std::string> take_notes();
  void keep_all_output(bool yes);

  // What a report says of how executions were run.
  void tell(Report& report) const;
  // Memory that the workers keep for putting pages back.
  std::uint64_t saved_bytes() const;

 private:
  struct Slot {
    CpuClaim cpu;
    std::unique_ptr<Worker> worker;
    std::size_t checks = 0;  // under way, among what is outstanding at the worker

    std::size_t plans() const;
    bool can_take() const;
    bool checking() const { return checks != 0 && worker->outstanding() != 0; }
  };
  struct Check {
    PlanId plan;
    Execution expected;
  };

  void add_worker();
  void grow();
  void deal();
  bool has_outside_effects() const;
  std::size_t least_loaded() const;
  std::optional<ExecutorEvent> look();
  std::optional<ExecutorEvent> pass(WorkerEvent& event);
  void on_finished(ExecutionFinished& event, std::optional<ExecutorEvent>& passed);
  std::optional<ExecutorEvent> on_checked(const Execution& execution);
  void run_again(ExecutionFinished& event);
  void on_effect(ExecutionFinished& event);
  void change_isolation(IsolationKind kind, const std::string& why);
  bool drop_failed_worker(const WorkerEvent& event);
  void check_later(const Plan& plan, const Execution& execution);
  void drop_check(PlanId plan);
  void look_for_new_files();
  void take_back_all();
  void wait(std::chrono::milliseconds limit);
  void note(std::string text) { notes_.push_back(std::move(text)); }

  const Target& target_;
  const RunOptions& options_;
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
  std::deque<Plan> waiting_;  // taken, and not yet with a worker
  std::set<PlanId> retried_;
  std::vector<Check> checks_;
  std::uint64_t finished_ = 0;
  std::uint64_t next_check_ = 2;  // number of the execution
  bool keep_all_output_ = false;
  bool fallback_noted_ = false;
  bool looked_for_files_ = false;
  std::vector<std::string> notes_;
};

}  // namespace heddle
