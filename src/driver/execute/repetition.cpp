// The part of the executor that runs plans more than once: checks, and plans that could not be followed. See
// executor.h.
#include <algorithm>
#include <utility>

#include "driver/execute/executor.h"
#include "trace/compare.h"

namespace heddle {
namespace {

constexpr std::uint64_t kChecksFactor = 4;  // checks of snapshots are the more seldom the more have passed
// The program is started once more when so many executions are behind us, or when they have taken so long.
constexpr std::uint64_t kBeforeFreshStart = 500;
constexpr std::chrono::seconds kUntilFreshStart{1};

bool went_well(const Execution& execution) {
  return execution.end.end == EndKind::Exited && execution.end.status == 0 && !execution.damaged;
}

// It was ended from outside or stopped, or nobody knows.
bool says_nothing(const Execution& execution) {
  return execution.damaged || execution.end.end == EndKind::Killed || execution.end.end == EndKind::Effect;
}

}  // namespace

void Executor::check(Slot& slot, Plan plan, const Execution& expected, CheckKind kind, std::string where) {
  plan.id = kCheckFlag | ++checks_made_;
  plan.afresh = true;
  plan.own_process = kind == CheckKind::OwnProcess || kind == CheckKind::OwnProcessAgain;
  checks_.push_back({plan, expected, kind, std::move(where)});
  ++slot.checks;
  slot.worker->submit(std::move(plan));
}

// By the worker that has just run it.
void Executor::check_later(const Plan& plan, const Execution& execution) {
  Slot& slot = *workers_[last_];
  if (unstable_ || !went_well(execution) || slot.checks == kMostChecks || !slot.worker->can_take()) return;
  if (isolation_ == IsolationKind::Snapshot && finished_ >= next_check_) {
    next_check_ = finished_ * kChecksFactor;
    check(slot, plan, execution, CheckKind::OwnProcess);
  }
  if (repeated_ < options_.determinism_check && slot.worker->can_take()) {
    ++repeated_;
    check(slot, plan, execution, CheckKind::Again);
  }
}

bool Executor::may_doubt() const {
  const bool automatic = options_.isolation == IsolationChoice::Auto && isolation_ == IsolationKind::Snapshot;
  return automatic && !unstable_ && workers_[last_]->worker->can_take();
}

void Executor::doubt(const Plan& plan, const Execution& execution) {
  check(*workers_[last_], plan, execution, CheckKind::OwnProcess);
}

// A further worker is a fresh start of the program: it begins with what the first one began with.
void Executor::check_new_worker() {
  if (options_.determinism_check == 0 || unstable_ || first_execution_.end.end != EndKind::Exited) return;
  started_afresh_ = true;
  check(*workers_.back(), first_plan_, first_execution_, CheckKind::NewWorker);
}

// Beside executions on snapshots only: others may do what another copy of the program sees. Looks at the clock for one
// execution in sixteen, and as long as it may be time.
bool Executor::is_time_for_fresh_start() const {
  if (started_afresh_ || isolation_ != IsolationKind::Snapshot) return false;
  if (most_workers_ == 1 && finished_ >= kBeforeFreshStart) return true;
  return finished_ % 16 == 0 && std::chrono::steady_clock::now() - first_finished_ >= kUntilFreshStart;
}

bool Executor::begins_last_check() { return !started_afresh_ && compare_with_fresh_start(); }

// False: that is not needed, or could disturb. What reaches beyond the process is seen under --isolation=auto only.
bool Executor::compare_with_fresh_start() {
  started_afresh_ = true;
  if (options_.isolation != IsolationChoice::Auto) return false;
  if (options_.determinism_check == 0 || unstable_ || first_execution_.end.end != EndKind::Exited) return false;
  if (isolation_ == IsolationKind::Exec || has_outside_effects() || !made_files_.empty()) return false;
  fresh_start_ = make_slot();
  // As often as the first worker ran it.
  for (unsigned i = 0; i <= rehearsals_; ++i) {
    Plan plan = first_plan_;
    plan.id = kCheckFlag | ++checks_made_;
    plan.afresh = true;
    fresh_start_->worker->submit(std::move(plan));
  }
  return true;
}

// One that could not be started, or brings nothing, says nothing.
void Executor::look_at_fresh_start() {
  const auto event = fresh_start_->worker->poll(std::chrono::milliseconds(0));
  if (!event) return;
  const auto* finished = std::get_if<ExecutionFinished>(&*event);
  if (finished != nullptr && fresh_start_->worker->outstanding() != 0) return;
  if (finished != nullptr && !says_nothing(*finished->execution) && !unstable_)
    if (const auto difference = compare(first_execution_, *finished->execution))
      report_difference(*difference, first_execution_, *finished->execution, true);
  fresh_start_.reset();
}

void Executor::drop_check(PlanId plan) {
  --workers_[last_]->checks;
  std::erase_if(checks_, [&](const Check& one) { return one.plan.id == plan; });
}

// The first plan is run until two successive executions of it are alike; only then its execution is passed on. True: it
// is run once more.
bool Executor::rehearse(ExecutionFinished& event) {
  if (rehearsed_) return false;
  const Execution& execution = *event.execution;
  // With others under way it would come behind them: events keep the order of submission.
  rehearsed_ = options_.determinism_check == 0 || !went_well(execution) || outstanding() != 0;
  std::optional<Difference> difference;
  if (!rehearsed_ && last_rehearsal_) {
    difference = compare(*last_rehearsal_, execution);
    rehearsed_ = !difference || rehearsals_ > options_.prime;
  }
  if (!rehearsed_) {
    ++rehearsals_;
    last_rehearsal_ = execution;
    event.plan.afresh = true;
    put_back(std::move(event.plan));
    reuse(std::move(event.execution));
    return true;
  }
  if (difference) report_difference(*difference, std::move(*last_rehearsal_), execution, false);
  if (!difference && rehearsals_ > 1)
    note("the program did something else when it was run for the first time; after " + std::to_string(rehearsals_ + 1) +
         " runs it does the same each time, and the search begins there (--prime)");
  last_rehearsal_.reset();
  first_plan_ = event.plan;
  first_execution_ = execution;
  first_finished_ = std::chrono::steady_clock::now();
  return false;
}

// True: what is to be done with the event has been done.
bool Executor::on_not_followed(ExecutionFinished& event, std::optional<ExecutorEvent>& passed) {
  const bool freely = event.plan.finish_freely;
  if (followed(event.plan, *event.execution)) {
    event.plan.finish_freely = event.plan.afresh = false;
    if (attempts_.succeeded(event.plan.id))
      note("a schedule could not be followed at first, and could when it was tried again");
    return false;
  }
  auto again = attempts_.after(event.plan, *event.execution);
  if (auto parted = std::exchange(attempts_.parted, std::nullopt); parted && !unstable_)
    report_difference(parted->difference, std::move(parted->first), *event.execution, false);
  if (!again) return false;  // passed on as it is: lost
  put_back(std::move(*again));
  if (freely) {
    passed.emplace(std::in_place_type<ExecutionFinished>, std::move(event));
  } else {
    reuse(std::move(event.execution));
  }
  return true;
}

void Executor::report_difference(const Difference& difference, Execution expected, Execution seen, bool other_process) {
  unstable_ = true;
  instability_ = Instability{difference, std::move(expected), std::move(seen), modules(), other_process};
}

// A plan was run again for comparison: did the same come of it?
std::optional<ExecutorEvent> Executor::on_checked(const Execution& execution) {
  const auto found =
      std::find_if(checks_.begin(), checks_.end(), [&](const Check& one) { return one.plan.id == execution.plan; });
  if (found == checks_.end()) return std::nullopt;
  Check check = std::move(*found);
  checks_.erase(found);
  if (says_nothing(execution)) return std::nullopt;
  if (check.kind == CheckKind::OwnProcess || check.kind == CheckKind::OwnProcessAgain)
    return on_own_process(check, execution);
  const auto difference = compare(check.expected, execution);
  if (!difference || unstable_) return std::nullopt;
  const bool other_process = check.kind == CheckKind::NewWorker;
  report_difference(*difference, std::move(check.expected), execution, other_process);
  if (other_process && workers_.size() > 1 && last_ != 0) {
    note("going on with one worker: another process of the program would not do the same");
    while (workers_.size() > 1) {
      last_ = workers_.size() - 1;
      drop_worker();
    }
  }
  return std::nullopt;
}

std::optional<ExecutorEvent> Executor::on_own_process(Check& check, const Execution& execution) {
  const auto difference = compare_exactly(check.expected, execution);
  if (check.kind == CheckKind::OwnProcessAgain) {
    // Two processes of their own: if even they differ, it is not because of snapshots.
    if (!difference) return snapshots_are_unfaithful(check.where);
    if (!unstable_) report_difference(*difference, std::move(check.expected), execution, false);
    return std::nullopt;
  }
  if (!difference || unstable_) return std::nullopt;
  const std::string where = "step " + std::to_string(difference->step) + " was \"" + difference->expected +
                            "\" on a snapshot and \"" + difference->seen + "\" in a process of its own";
  this->check(*workers_[last_], std::move(check.plan), execution, CheckKind::OwnProcessAgain, where);
  return std::nullopt;
}

void Executor::begin_anew() {
  take_back_all();
  waiting_.clear();  // plans of a search that is over; its ids come again
  retried_.clear();
  attempts_.forget();
  // What the first plan comes to now is another execution: further workers are to be compared with that one.
  rehearsed_ = false;
  rehearsals_ = 0;
  last_rehearsal_.reset();
  first_execution_ = Execution();
  started_afresh_ = false;
  add_worker();
}

std::optional<ExecutorEvent> Executor::snapshots_are_unfaithful(const std::string& where) {
  if (options_.isolation == IsolationChoice::Snapshot) {
    note("snapshots are not faithful for this program: " + where + "; use --isolation=auto");
    return std::nullopt;
  }
  isolation_ = IsolationKind::Fork;
  begin_anew();
  return Restarted{
      "isolation: fork, and the search begins anew, because putting memory back is not enough for this "
      "program: " +
      where};
}

}  // namespace heddle
