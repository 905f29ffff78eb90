// See state_reduction.h.
#include "search/state_reduction.h"

#include <algorithm>
#include <utility>

#include "protocol/services.h"

namespace heddle {
namespace {

constexpr std::uint32_t kNone = 0xffffffff;

std::uint64_t fold(std::uint64_t x, std::uint64_t y) {
  const auto product = static_cast<unsigned __int128>(x ^ 0xa0761d6478bd642full) * (y ^ 0xe7037ed1a0b428dbull);
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

constexpr const char* kMemoryDecides =
    "two schedules that differ only in the order of independent steps went on differently: threads learn of each other "
    "by something that is not looked at (atomics, racing accesses, clocks, addresses of the heap)";

bool uses_futexes(const Execution& execution) {
  return std::any_of(execution.objects.begin(), execution.objects.end(),
                     [](const ObjectRecord& object) { return object.object_kind == ObjectKind::Futex; });
}

// How it ended was up to the program.
bool ended_by_itself(const EndRecord& end) {
  const EndKind kind = end.end;
  return kind == EndKind::Exited || (kind == EndKind::Deadlock && !ended_in_loop(end)) || kind == EndKind::Crashed ||
         kind == EndKind::Misuse;
}

}  // namespace

StateReduction::StateReduction(const Options& options)
    : options_(options),
      walk_(HappensBefore::Relation::Careful, options.told_apart),
      table_(options.most_states),
      samples_(kFewestSamples) {}

bool StateReduction::begin(const Execution& execution, std::uint32_t first) {
  execution_ = &execution;
  if (uses_futexes(execution))
    why_not_ = "the program uses futexes, where memory decides who waits, and not all of it is looked at";
  failed_ = execution.damaged;
  step_ = failed_ ? 0 : walk_.begin(execution, first);
  entered_.clear();
  known_ = 0;
  if (failed_) return false;
  scanned_from_ = first;
  look_ahead(first);
  fairness_.begin(execution, FairnessState::may_matter(execution));
  advance_to(first);
  return !failed_;
}

void StateReduction::look_ahead(std::uint32_t first) {
  const auto& steps = execution_->steps;
  if (next_of_.size() < steps.size()) next_of_.resize(steps.size());
  upcoming_.assign(execution_->tasks.size(), kNone);
  for (auto step = static_cast<std::uint32_t>(steps.size()); step-- > first;) {
    const TaskId task = steps[step].task;
    if (task >= upcoming_.size()) upcoming_.resize(task + 1u, kNone);
    next_of_[step] = upcoming_[task];
    upcoming_[task] = step;
  }
}

void StateReduction::advance_to(std::uint32_t step) {
  if (step_ < step && !failed_) {
    failed_ = !walk_.advance(*execution_, step_, step);
    for (std::uint32_t at = std::max(step_, scanned_from_); at < step; ++at)
      upcoming_[execution_->steps[at].task] = next_of_[at];
    step_ = step;
  }
  fairness_.advance_to(step);
  if (table_.is_large() && !failed_ && step_ < execution_->steps.size() && fairness_.empty())
    table_.prefetch(walk_.ahead(execution_->steps[step_]).sum);  // the state that is asked for next
}

GraphHash StateReduction::present() const {
  GraphHash state = walk_.sum();
  fairness_.mix_into(state);
  if (!(state == walk_.sum())) state += walk_.roles().assignment();
  return state;
}

bool StateReduction::enter(unsigned preemptions, bool claimed) {
  if (failed_ || fairness_.unknown()) return false;
  const StepRecord& made = execution_->steps[step_];
  const GraphHash state = present();
  // Where a switch costs, the default is to go on with the task that ran last.
  const bool costs = (made.flags & StepFlags::SwitchCosts) != 0;
  const TaskId last = costs ? walk_.roles().of(made.task) : StateTable::kAnyone;
  entered_.push_back(sample_key(state));
  // Who claimed it finds the claim: it tells nothing.
  const bool cheaper = claimed && costs && table_.known(state, StateTable::kAnyone, preemptions);
  const bool fresh = table_.add(state, last, preemptions);
  if (fresh || (claimed && costs && !cheaper)) return false;
  known_ = entered_.back();
  return true;
}

StateReduction::Claim StateReduction::claim(const Ahead& ahead, unsigned preemptions, bool may_note) {
  if (!ahead.known()) return Claim::Unsure;
  if (!may_note && !table_.known(ahead.state, ahead.last, preemptions)) return Claim::Unsure;
  if (may_note && table_.add(ahead.state, ahead.last, preemptions)) return Claim::Free;
  ++pruned_;
  const bool sample = options_.sample_every != 0 && (pruned_ < 8 || pruned_ % options_.sample_every == 0);
  return sample ? Claim::Unsure : Claim::Known;
}

bool StateReduction::known(const Ahead& ahead, unsigned preemptions) const {
  return ahead.known() && table_.known(ahead.state, ahead.last, preemptions);
}

StateReduction::Ahead StateReduction::ahead(Choice choice) {
  StepRecord step;
  if (failed_ || fairness_.unknown() || !fairness_.empty() || !predict(choice, step)) return {};
  const HappensBefore::Ahead next = walk_.ahead(step);
  const Roles roles = walk_.roles();
  Ahead ahead{next.sum, roles.of(step.task, next.own), roles.is_alike(step.task)};
  fairness_.mix_behind(step, ahead.state);
  if (!(ahead.state == next.sum)) ahead.state += roles.assignment(step.task, next.own);
  if (table_.is_large()) table_.prefetch(ahead.state);
  return ahead;
}

bool StateReduction::claim_later(const Ahead& ahead, unsigned preemptions) {
  return table_.add(ahead.state, ahead.last, preemptions);
}

// What the choice will be recorded as, if it does what it does elsewhere. A wrong guess costs an execution, no more: no
// state has such a step then.
bool StateReduction::predict(Choice choice, StepRecord& step) const {
  if (choice.variant >= kFirstSpecial) return false;
  const std::uint32_t at = choice.task < upcoming_.size() ? upcoming_[choice.task] : kNone;
  if (at != kNone) {
    step = execution_->steps[at];
  } else {
    const auto& pending = execution_->pending;
    const auto own =
        std::find_if(pending.begin(), pending.end(), [&](const PendingRecord& one) { return one.task == choice.task; });
    if (own == pending.end()) return false;
    if (own->operation == OperationKind::Yield) return false;  // whether it is a patient one is not known
    step.operation = own->operation;
    step.object = own->object;
    step.object2 = own->object2;
    step.flags = StepFlags::Wrote;
  }
  step.task = choice.task;
  step.variant = choice.variant;
  return true;
}

// By the task that goes on, too: where a switch costs nothing, it may be another one.
std::uint64_t StateReduction::sample_key(const GraphHash& state) const {
  return fold(state.a + walk_.roles().assignment().a, execution_->steps[step_].task) | 1;
}

std::uint64_t StateReduction::result() const {
  const EndRecord& end = execution_->end;
  return fold(walk_.sum().a, static_cast<std::uint64_t>(end.end) << 32 | static_cast<std::uint32_t>(end.status));
}

void StateReduction::end() {
  if (!ended_by_itself(execution_->end)) return;
  const auto& steps = execution_->steps;
  const auto exit = static_cast<std::uint32_t>(
      std::find_if(steps.begin() + step_, steps.end(),
                   [](const StepRecord& step) { return step.operation == OperationKind::ProcessExit; }) -
      steps.begin());
  const bool exits = exit < steps.size();
  failed_ = failed_ || !walk_.advance(*execution_, step_, exit);
  if (exits && !failed_) {
    compare_outcome();
    failed_ = !walk_.advance(*execution_, exit, static_cast<std::uint32_t>(steps.size()));
  }
  if (failed_) return;
  step_ = static_cast<std::uint32_t>(steps.size());
  walk_.finish(*execution_);
  if (walk_.is_plain(*execution_) && !walk_.roles().any_alike()) whole_ = walk_.graph(*execution_);
  if (!exits) compare_outcome();
  const std::uint64_t now = result();
  const Sample& then = sample_of(known_);
  if (known_ != 0 && then.state == known_ && then.followed_by != now) why_not_ = kMemoryDecides;
  for (const std::uint64_t state : entered_)
    if (state != known_) sample_of(state) = {state, now};
  if (samples_.size() < kMaxSamples && samples_.size() < table_.size() * kSamplesForState) grow();
}

// A short search shall not pay for the memory of a long one. None is lost: each finds a place of its own.
void StateReduction::grow() {
  const std::vector<Sample> before = std::exchange(samples_, std::vector<Sample>(samples_.size() * 4));
  for (const Sample& sample : before)
    if (sample.state != 0) sample_of(sample.state) = sample;
}

// At the last state before the process ends: the same steps that led there must lead to the same outcome.
void StateReduction::compare_outcome() {
  const std::uint64_t state = fold(walk_.sum().a, walk_.sum().b) | 1;
  const EndRecord& end = execution_->end;
  const std::uint64_t outcome = static_cast<std::uint64_t>(end.end) << 32 | static_cast<std::uint32_t>(end.status);
  Sample& then = sample_of(state);
  if (then.state == state && then.followed_by != outcome) why_not_ = kMemoryDecides;
  then = {state, outcome};
}

void StateReduction::watch(const Execution& execution, std::uint32_t first) {
  if (first >= execution.steps.size() || !begin(execution, first)) return;
  for (std::uint32_t step = first; step < execution.steps.size() && known_ == 0; ++step) {
    advance_to(step);
    if (failed_ || fairness_.unknown()) return;
    const std::uint64_t state = sample_key(present());
    if (sample_of(state).state == state) known_ = state;
  }
  end();
}

}  // namespace heddle
