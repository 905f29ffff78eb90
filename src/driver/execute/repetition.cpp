// See repetition.h.
#include "driver/execute/repetition.h"

#include "trace/compare.h"

namespace heddle {
namespace {

// The program is started once more when so many executions are behind us, or when they have taken so long.
constexpr std::uint64_t kBeforeFreshStart = 500;
constexpr std::chrono::seconds kUntilFreshStart{1};

}  // namespace

Repetition::Repetition(const RunOptions& options, const LaunchOptions& launch, const Isolation& isolation,
                       Workers& workers, std::vector<std::string>& notes)
    : options_(options),
      isolation_(isolation),
      workers_(workers),
      notes_(notes),
      rehearsal_(options),
      checks_(options.determinism_check),
      fresh_start_(launch) {}

// --- plans that are to be run again

Repetition::Then Repetition::after(ExecutionFinished& event) {
  return rehearse(event) ? Then::Drop : after_attempt(event);
}

// True: it is run once more.
bool Repetition::rehearse(ExecutionFinished& event) {
  if (rehearsal_.over()) return false;
  Rehearsal::Finding finding = rehearsal_.look(event, workers_.outstanding() != 0);
  if (finding.again) {
    event.plan.afresh = true;
    workers_.requeue(std::move(event.plan));
    return true;
  }
  if (finding.differs) report(*finding.differs, std::move(finding.expected), *event.execution, false);
  if (!finding.note.empty()) notes_.push_back(std::move(finding.note));
  return false;
}

Repetition::Then Repetition::after_attempt(ExecutionFinished& event) {
  if (followed(event.plan, *event.execution)) {
    event.plan.finish_freely = event.plan.afresh = false;
    if (attempts_.succeeded(event.plan.id))
      notes_.emplace_back("a schedule could not be followed at first, and could when it was tried again");
    return Then::Count;
  }
  const bool freely = event.plan.finish_freely;
  auto again = attempts_.after(event.plan, *event.execution);
  if (auto parted = std::exchange(attempts_.parted, std::nullopt); parted && !unstable_)
    report(parted->divergence, std::move(parted->first), *event.execution, false);
  if (!again) return Then::Count;  // as it is: lost
  workers_.requeue(std::move(*again));
  return freely ? Then::PassOn : Then::Drop;
}

// --- checks

// By the worker that has just run it.
void Repetition::check_later(const ExecutionFinished& event, std::uint64_t finished, bool alone) {
  const Execution& execution = *event.execution;
  if (!unstable_ && went_well(execution) && workers_.can_check()) {
    if (isolation_.kind() == IsolationKind::Snapshot && checks_.own_process_is_due(finished))
      workers_.check(checks_.begin(event.plan, execution, Checks::Kind::OwnProcess));
    if (workers_.latest().can_take() && checks_.again_is_due())
      workers_.check(checks_.begin(event.plan, execution, Checks::Kind::Again));
  }
  if (is_time_for_fresh_start(finished, alone)) begin_fresh_start();
}

bool Repetition::may_doubt() const {
  const bool automatic = isolation_.is_automatic() && isolation_.kind() == IsolationKind::Snapshot;
  return automatic && !unstable_ && workers_.latest().can_take();
}

void Repetition::doubt(const Plan& plan, const Execution& execution) {
  workers_.check(checks_.begin(plan, execution, Checks::Kind::OwnProcess));
}

void Repetition::check_newest_worker() {
  if (options_.determinism_check == 0 || unstable_ || !rehearsal_.ended_well()) return;
  fresh_start_.settle();
  workers_.check(checks_.begin(rehearsal_.plan(), rehearsal_.execution(), Checks::Kind::NewWorker),
                 Workers::By::Newest);
}

std::string Repetition::on_checked(const ExecutionFinished& event) {
  workers_.check_done();
  Checks::Finding finding = checks_.judge(*event.execution, unstable_);
  if (finding.next) workers_.check(std::move(*finding.next));
  if (!finding.differs) return finding.unfaithful;
  report(*finding.differs, std::move(finding.expected), *event.execution, finding.other_process);
  if (finding.other_process && &workers_.latest() != &workers_.first()) {
    notes_.emplace_back("going on with one worker: another process of the program would not do the same");
    workers_.drop_all_but_first();
  }
  return {};
}

void Repetition::on_check_lost(PlanId plan) {
  workers_.check_done();
  checks_.lose(plan);
}

void Repetition::report(const Divergence& divergence, Execution expected, const Execution& seen, bool other_process) {
  unstable_ = true;
  instability_ =
      Instability{divergence, std::move(expected), seen, workers_.latest().session().modules(), other_process};
}

void Repetition::drop_checks() {
  checks_.forget();
  fresh_start_.abandon();
}

void Repetition::restart() {
  drop_checks();
  attempts_.forget();
  // What the first plan comes to now is another execution: further workers are to be compared with that one.
  rehearsal_.restart();
  fresh_start_.unsettle();
}

// --- the fresh start

// Beside executions on snapshots only: others may do what another copy of the program sees. Looks at the clock for one
// execution in sixteen, and as long as it may be time.
bool Repetition::is_time_for_fresh_start(std::uint64_t finished, bool alone) const {
  if (fresh_start_.settled() || isolation_.kind() != IsolationKind::Snapshot) return false;
  if (alone && finished >= kBeforeFreshStart) return true;
  return finished % 16 == 0 && rehearsal_.since() >= kUntilFreshStart;
}

// False: that is not needed, or could disturb. What reaches beyond the process is seen under --isolation=auto only.
bool Repetition::begin_fresh_start() {
  fresh_start_.settle();
  if (!isolation_.is_automatic() || isolation_.kind() == IsolationKind::Exec) return false;
  if (options_.determinism_check == 0 || unstable_ || !rehearsal_.ended_well()) return false;
  if (workers_.have_outside_effects() || !isolation_.made_files().empty()) return false;
  fresh_start_.begin(isolation_, rehearsal_.plan(), rehearsal_.runs_before() + 1);  // as often as the first worker
  return true;
}

void Repetition::check_fresh_start() {
  const auto last = fresh_start_.poll();
  if (!last || says_nothing(**last) || unstable_) return;
  if (const auto divergence = compare(rehearsal_.execution(), **last))
    report(*divergence, rehearsal_.execution(), **last, true);
}

}  // namespace heddle
