// The explore loop; see explore.h. Explorer::run() is the loop, everything else is one of its steps.
#include "driver/explore/explore.h"

#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <utility>

#include "analysis/symbolizer.h"
#include "driver/execute/ended_early.h"
#include "driver/execute/plan_ids.h"
#include "driver/explore/explorer.h"
#include "driver/explore/note_places.h"
#include "driver/explore/possibilities.h"
#include "driver/explore/self_check.h"
#include "driver/process/interrupt.h"
#include "driver/process/scratch.h"
#include "trace/words.h"

namespace heddle {
namespace {

constexpr std::chrono::milliseconds kPollLimit{100};
constexpr std::uint64_t kLookedAt = 7;    // one schedule of so many is asked where it comes from
constexpr std::uint64_t kEstimated = 64;  // after so many schedules the strategy is asked how many there will be
constexpr std::uint64_t kMany = 1000;     // a search that stops after fewer needs no advice
constexpr std::size_t kPlacesNamed = 3;
constexpr std::size_t kMostNotes = 100;
constexpr std::uint64_t kMostChoices = std::uint64_t{1}
                                       << 26;  // in one schedule; to search beside more takes gigabytes
constexpr std::uint64_t kHopeless = 3;         // so many schedules lost and not one run: no verdict

// To within a few milliseconds, and cheap: this is asked after every execution.
double about_seconds_since(Clock::time_point begin) {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
  const auto now = std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
  return std::chrono::duration<double>(now - begin.time_since_epoch()).count();
}

// What this process has in memory.
std::uint64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::uint64_t all = 0, resident = 0;
  file >> all >> resident;
  return resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

// At most so many there can be at all its steps together.
std::uint64_t choices_in(const Execution& execution) {
  return std::uint64_t{execution.end.tasks} * execution.end.steps;
}

// "at step 12 …": the text without that number.
std::string without_step(std::string text) {
  constexpr std::string_view kStep = "step ";
  if (const std::size_t at = text.find(kStep); at != std::string::npos)
    text.erase(at + kStep.size(), text.find_first_not_of("0123456789", at + kStep.size()) - at - kStep.size());
  return text;
}

// The decoder's note on what it could not read.
std::string damage_of(const Execution& execution) {
  const ExecutionMessage* note = execution.message(MessageKind::Note);
  return note != nullptr ? note->text : "what was recorded is damaged";
}

StrategyOptions strategy_options(const RunOptions& options, NoPreempt& no_preempt) {
  StrategyOptions result{options.seed, options.early_timeouts, {}, options.search_options};
  if (!no_preempt.empty()) result.no_preempt = [&no_preempt](Site site) { return no_preempt.holds_at(site); };
  return result;
}

}  // namespace

Explorer::Explorer(const Target& target, const RunOptions& options, Observer& observer, SavedSearch* saved)
    : options_(options),
      observer_(observer),
      entry_(*find_strategy(options.search)),
      executor_(target, options_),
      no_preempt_(options.no_preempt, [this] { return executor_.session().modules(); }),
      strategy_(make_strategy()),
      log_(options.execution_log),
      bugs_(target, options_, observer),
      samples_(options.early_timeouts),
      races_expected_(options.races_asked_for || (target.linked_to_be_seen && options.races != RaceMode::Ignore)),
      saved_(saved) {
  report_.command = options.command;
  report_.promise = entry_.promise;
  report_.limit = entry_.limit;
  report_.search = entry_.name;
  report_.carrier = word_for(kCarrierWords, options.carrier);
  report_.seed = options.seed;
  report_.input_seed = options.input_seed;
  report_.start_at = options.start_at;
  report_.early_timeouts = options.early_timeouts;
  report_.spurious_wakeups = options.spurious_wakeups;
  report_.max_steps = options.max_steps;
  for (const NoPreemptRule& rule : options.no_preempt) report_.no_preempt.push_back(text_of(rule));
  keep_next_ =
      started_ + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(options.save_every_s));
  if (saved_ != nullptr && saved_->loaded()) restore();
  for (const std::string& text : target.notes) note(text);
  executor_.keep_all_output(true);  // the first execution shows whether any test was run at all
}

Report Explorer::run() {
  const InterruptGuard guard;
  while (!stopped_) {
    fill();
    if (is_settled()) {
      exhausted_ = true;  // also where the search waits for what was lost
      break;
    }
    if (auto event = executor_.poll(kPollLimit)) on_event(*event);
    if (const auto instability = executor_.take_instability()) on_unstable(*instability);
    apply_stop_rules();
    tell();
  }
  conclude();
  return std::move(report_);
}

// Nothing is to come any more, also of checks.
bool Explorer::is_settled() {
  if (executor_.outstanding() != 0 || executor_.checking()) return false;
  if (doubtful_.empty()) return !executor_.begins_last_check();
  resolve_doubts();
  return false;
}

// Hands plans to the worker. The first runs alone; with --output=all each does, so that its output can be told apart.
// One event is taken between two fills, and samples take no place of the search's: the order of next() and learn() does
// not depend on timing or on what is looked at beside the search, and one seed gives the same run again.
void Explorer::fill() {
  if (probe() || !doubtful_.empty()) return;
  const bool alone = report_.schedules == 0 || options_.output == OutputMode::All;
  while (!exhausted_ && executor_.can_take(samples_out_) && !(alone && executor_.outstanding() != 0)) {
    if (options_.max_schedules && submitted_ >= *options_.max_schedules) return;
    Next next = strategy_->next();
    if (std::holds_alternative<Wait>(next)) return;
    if (std::holds_alternative<Exhausted>(next)) {
      exhausted_ = true;
      return;
    }
    ++submitted_;
    Plan& plan = std::get<Plan>(next);
    plan.memory = strategy_->reduces() && samples_.wants(submitted_);
    executor_.submit(std::move(plan));
  }
}

void Explorer::on_event(ExecutorEvent& event) {
  if (!branching_ && executor_.session().branching()) {
    branching_ = true;
    branched_ = told_ = Clock::now();
  }
  std::visit([this](auto& specific) { on(specific); }, event);
}

void Explorer::on_unstable(const Instability& instability) {
  report_.deterministic = false;
  note(describe(instability));
}

// It left its plan and went on by itself: nothing to learn, but what came of it did happen.
void Explorer::on_finished_freely(ExecutionFinished& event) {
  measure(*event.execution);
  judge_races(event);
  judge(event);
}

void Explorer::on(ExecutionFinished& event) {
  if (probe_ == Probe::Out) return on_probe(event);
  if (is_sample(event.plan.id)) return on_sample(event);
  if (event.plan.memory) look_at_sample(event);
  if (event.plan.finish_freely) return on_finished_freely(event);
  ++report_.schedules;
  report_.resumed += event.execution->resumed_at != 0 ? 1 : 0;
  report_.resumed_from_bookmarks += event.execution->bookmark != 0 ? 1 : 0;
  measure(*event.execution);
  if (entry_.remembers_choices && choices_in(*event.execution) > kMostChoices) return on_too_large(event);
  learn(event);
  if (log_.open())
    if (const std::string problem = log_.add(report_.schedules, *event.execution); !problem.empty()) note(problem);
  if (report_.schedules == 1) look_at_first(event);
  if (options_.output == OutputMode::All && !event.execution->output.empty())
    observer_.on_output(event.execution->output);
  judge_races(event);
  judge(event);
  add_points();
}

// Threads that are created without end, for example. What came of it did happen.
void Explorer::on_too_large(ExecutionFinished& event) {
  if (report_.schedules == 1) look_at_first(event);
  ++ended_by_itself_;
  judge(event);
  keeping_failed_ = true;  // nothing was learned that could be gone on with
  const EndRecord& end = event.execution->end;
  const std::string why = "one schedule has " + std::to_string(end.tasks) + " threads and " +
                          std::to_string(end.steps) +
                          " steps: no search gets anywhere with so many choices. Does the program create threads "
                          "without end? Have it create fewer; --max-steps cuts a schedule off sooner; --search=random "
                          "tries some";
  if (stopped_) return note(why);
  give_up(StopReason::Error, why);
}

void Explorer::on(PlanLost& event) {
  if (probe_ == Probe::Out)
    return give_up(StopReason::Error, "the first schedule could not be run again: " + event.why);
  if (is_sample(event.plan)) {
    --samples_out_;
    return samples_.lost(event.plan);
  }
  strategy_->lost(event.plan);
  on_lost("a schedule was lost: " + event.why);
}

void Explorer::on(EndedBeforeBranching& event) {
  report_.program_output = event.output;
  give_up(StopReason::NothingToExplore, explain(event));
}

void Explorer::on(WorkerFailed& event) { give_up(StopReason::Error, event.message); }

void Explorer::on(Restarted& event) {
  note(event.why);
  const std::vector<Found> dropped = drop_doubts();
  probe_ = Probe::None;
  samples_out_ = 0;
  report_.schedules_given_up += report_.schedules;
  report_.schedules_before = report_.schedules = report_.steps_run = 0;
  report_.resumed = report_.resumed_from_bookmarks = 0;
  report_.steps_max = report_.tasks_max = 0;
  report_.step_limit_reached = report_.fairness_held_back = false;
  report_.timeouts_could_fire = report_.waiters_chosen = false;
  told_schedules_ = 0;
  lost_ = ended_by_itself_ = 0;
  happens_before_ = HappensBefore();
  distinct_ = DistinctExecutions();
  switch_places_ = SwitchPlaces();
  samples_ = Samples(options_.early_timeouts);
  begin_search();
  look_at_dropped(dropped);
  if (!stopped_ || saved_ == nullptr) return;
  saved_->has_ended();  // what is kept was learned on snapshots
  keeping_failed_ = true;
}

std::unique_ptr<Strategy> Explorer::make_strategy() {
  return entry_.make(entry_, strategy_options(options_, no_preempt_));
}

void Explorer::begin_search() {
  strategy_ = make_strategy();
  submitted_ = 0;
  exhausted_ = false;
  estimates_ = EstimateHistory();
}

void Explorer::learn(const ExecutionFinished& event) {
  const EndKind end = event.execution->end.end;
  if (!followed(event.plan, *event.execution)) return on_diverged(event);
  strategy_->learn(*event.execution);
  if (const std::string text = strategy_->take_note(); !text.empty())
    note(with_places(text, *event.execution, executor_.session().modules()));
  if (!event.ended_because.empty())
    return on_lost("a schedule was ended without a verdict because " + event.ended_because);
  // The runtime says in a note why it ended an execution itself; without one, it was somebody else.
  const ExecutionMessage* why = event.execution->message(MessageKind::Note);
  if (event.execution->damaged) return on_lost(damage_of(*event.execution));
  if (end == EndKind::Killed)
    return on_lost(why != nullptr ? with_places(why->text, *event.execution, executor_.session().modules())
                                  : "a schedule was ended from outside (killed); is memory short?");
  ++ended_by_itself_;
  auto hash = strategy_->hash_of_last();
  if (!hash) hash = happens_before_.hash(*event.execution);
  if (hash && end != EndKind::Asleep) distinct_.add(*hash);  // else it is not whole
  if (report_.schedules % kLookedAt == 0) switch_places_.add(event.plan, *event.execution);
  if (report_.schedules % kEstimated == 0) note_estimate();
}

// It was tried more than once (attempts.h).
void Explorer::on_diverged(const ExecutionFinished& event) {
  const Execution& execution = *event.execution;
  strategy_->lost(execution.plan);
  const std::string what =
      execution.end.end == EndKind::Diverged
          ? classify(execution, options_.ok_exit).message
          : "the program ended before step " + std::to_string(last_delta(event.plan)->step) + " of the schedule";
  if (const std::string why = strategy_->why_not_followed(event.plan, execution); !why.empty()) return on_lost(why);
  std::string reason = likely_inputs(execution, execution.end.steps, executor_.session().modules());
  if (reason.empty()) {
    if (!time_stamps_) time_stamps_ = possible_time_stamps(execution, executor_.session().modules());
    reason = *time_stamps_;
  }
  on_lost(what + "; the program's behaviour depends on something that Heddle does not control." + reason);
}

// Of those that differ in the step only, one is told; how many there were is said at the end (Coverage::lost).
void Explorer::on_lost(const std::string& text) {
  ++lost_;
  last_loss_ = text;
  if (noted_.size() < kMostNotes && noted_as_written_.insert(without_step(text)).second) note(text);
  if (ended_by_itself_ == 0 && lost_ >= kHopeless)
    give_up(StopReason::Error, "not one schedule could be run to its end: " + text);
}

void Explorer::look_at_first(const ExecutionFinished& event) {
  const Execution& execution = *event.execution;
  first_plan_.policy = event.plan.policy;
  first_plan_.for_policy = event.plan.for_policy;
  first_steps_ = hash_of_steps(execution);
  randomized_ = executor_.session().randomized();
  executor_.keep_all_output(options_.output == OutputMode::All);
  report_.program_output = execution.output;
  example_ = execution;
  if (std::string reason = no_test_ran(execution.output); !reason.empty())
    give_up(StopReason::NothingToExplore, reason);
}

void Explorer::measure(const Execution& execution) {
  report_.steps_max = std::max(report_.steps_max, execution.end.steps);
  report_.steps_run += execution.steps.size() - execution.resumed_at;
  report_.tasks_max = std::max<std::uint32_t>(report_.tasks_max, execution.end.tasks);
  report_.step_limit_reached |= execution.end.end == EndKind::StepLimit;
  // What was kept has been looked at; rehearsals and checks that were run between have not.
  const bool follows = execution.resumed_at != 0 || (execution.kept_of == measured_ && measured_ != 0);
  measured_ = execution.plan;
  report_.fairness_held_back |= holds_back(execution);
  report_.timeouts_could_fire |= could_time_out(execution);
  report_.waiters_chosen = report_.waiters_chosen || chooses_a_waiter(execution, follows ? execution.kept_steps : 0);
  for (const ExecutionMessage& message : execution.messages)
    if (message.kind == MessageKind::Note) note_of(execution, message.text);
}

void Explorer::judge(ExecutionFinished& event) {
  const EndRecord& end = event.execution->end;
  if (stopped_ || (end.end == EndKind::Exited && end.status == 0)) return;
  const Outcome outcome = classify(*event.execution, options_.ok_exit);
  if (!is_bug(outcome.kind)) return;
  report_.program_output = event.execution->output;
  judge({event.plan,
         *event.execution,
         outcome,
         executor_.session().modules(),
         executor_.session().config(),
         report_.schedules,
         {}});
}

void Explorer::apply_stop_rules() {
  if (stopped_) return;
  if (interrupted()) return stop(StopReason::Interrupted);
  if (about_seconds_since(started_) >= options_.time_s) return stop(StopReason::Time);
  if (out_of_memory_) return stop(StopReason::Memory);
  const bool all_given = options_.max_schedules && submitted_ >= *options_.max_schedules;
  if (all_given && is_settled()) stop(StopReason::Schedules);
}

void Explorer::stop(StopReason reason) {
  if (stopped_) return;
  stopped_ = true;
  report_.stop_reason = reason;
}

void Explorer::give_up(StopReason reason, const std::string& why) {
  if (report_.no_verdict_reason.empty()) report_.no_verdict_reason = why;
  stop(reason);
}

void Explorer::take_notes() {
  for (const std::string& text : executor_.take_notes()) note(text);
  for (const std::string& text : bugs_.take_notes()) note(text);
}

void Explorer::tell() {
  const double since = about_seconds_since(told_);
  if (since < 0.1) return;
  take_notes();
  if (!branching_) return;
  const double recent = static_cast<double>(report_.schedules - told_schedules_) / since;
  rate_ = rate_ == 0 ? recent : 0.8 * rate_ + 0.2 * recent;
  told_ = Clock::now();
  out_of_memory_ = options_.memory_bytes != 0 && resident_bytes() + executor_.saved_bytes() > options_.memory_bytes;
  told_schedules_ = report_.schedules;
  observer_.on_progress({strategy_->coverage(), estimates_.estimate(), report_.schedules, distinct_.count(),
                         seconds_since(branched_), options_.time_s - seconds_since(started_), rate_,
                         bugs_.bugs().size()});
  keep_if_due();
}

// Each text once: to find a place takes longer than an execution.
void Explorer::note_of(const Execution& execution, const std::string& text) {
  if (noted_.size() < kMostNotes && noted_as_written_.insert(text).second)
    note(with_places(text, execution, executor_.session().modules()));
}

void Explorer::note(const std::string& text) {
  if (noted_.size() >= kMostNotes || !noted_.insert(text).second) return;
  report_.notes.push_back(text);
  observer_.on_note(text);
}

void Explorer::note_estimate() {
  estimates_.note(report_.schedules, strategy_->coverage().bound_in_progress, strategy_->estimated_total(),
                  strategy_->estimated_spread());
}

// A search that was cut off tells what makes it long.
void Explorer::name_busy_places() {
  if (report_.stop_reason == StopReason::Bug || report_.coverage.complete || report_.schedules < kMany) return;
  report_.estimate = estimates_.estimate();
  if (!entry_.promise.draws.empty()) return;     // they come from everywhere
  if (executor_.session().randomized()) return;  // places are counted by their addresses, and each process has others
  Symbolizer symbolizer(executor_.session().modules());
  std::error_code error;
  Names names(example_, symbolizer, std::filesystem::current_path(error).string());
  report_.busy_places = describe(switch_places_, kPlacesNamed, names);
}

// What the whole run says.
void Explorer::conclude() {
  resolve_doubts();
  tell();
  take_notes();
  keep_at_end();
  executor_.tell(report_);
  for (const std::string& text : self_check(report_, races_expected_, no_preempt_, executor_.session().modules()))
    note(text);
  if (report_.schedules != 0)
    for (const std::string& text : bugs_.about_suppressions(report_.schedules_before == 0)) note(text);
  report_.races_checked = report_.instrumented && options_.races != RaceMode::Ignore;
  report_.racing_places = options_.points.size();
  report_.coverage = strategy_->coverage();
  if (!orders_missed_.empty() ||
      (report_.stop_reason == StopReason::Time && points_.size() != options_.points.size())) {
    report_.coverage.bound_proved = -1;  // nothing is, with all of them
    report_.coverage.schedules_at_bound = 0;
    report_.coverage.complete = false;
  }
  report_.distinct = distinct_.count();
  report_.distinct_is_all = !distinct_.full();
  report_.seconds = seconds_before_ + (branching_ ? seconds_since(branched_) : 0);
  report_.seconds_in_all = seconds_before_ + seconds_since(started_);
  report_.bugs = std::move(bugs_.bugs());
  const bool cut = entry_.number(options_.search_options, entry_.limit) && !report_.coverage.complete;
  if (!stopped_) report_.stop_reason = cut ? StopReason::Bound : StopReason::Exhausted;
  if (stopped_) name_busy_places();
  if (report_.no_verdict_reason.empty()) report_.no_verdict_reason = nothing_proved();
  report_.verdict = report_.no_verdict_reason.empty() ? Verdict::NoBugFound : Verdict::None;
  if (!report_.bugs.empty()) report_.verdict = Verdict::Bug;
}

// Why there is no verdict although nothing went wrong with Heddle itself; empty: there is one.
std::string Explorer::nothing_proved() const {
  const int proved = report_.coverage.bound_proved;
  if (report_.schedules == 0 && report_.schedules_given_up != 0)
    return "the search began anew, and no schedule of it came to its end: give it more --time";
  if (report_.schedules == 0)
    return report_.stop_reason == StopReason::Time ? "not one schedule came to its end within --time"
                                                   : "no schedule was run";
  if (!orders_missed_.empty())
    return "there are data races, and what comes of their orders was not explored for all: " + orders_missed_;
  if (ended_by_itself_ == 0) return "no schedule could be run to its end: " + last_loss_;
  if (report_.coverage.lost != 0 && proved < 0 && exhausted_)
    return (entry_.promise.bounds.empty()
                ? "not all schedules could be run to their end: "
                : "schedules without a " + std::string(entry_.promise.bounds) + " could not be run to their end: ") +
           last_loss_;
  if (options_.require_bound && !report_.coverage.complete && proved < static_cast<int>(*options_.require_bound))
    return "--require-bound=" + std::to_string(*options_.require_bound) + " was not proved" + what_it_lacks();
  return {};
}

std::string Explorer::what_it_lacks() const {
  if (report_.stop_reason == StopReason::Time) return ": give it more --time";
  if (report_.stop_reason == StopReason::Memory) return ": give it more --memory";
  if (report_.stop_reason == StopReason::Schedules) return ": allow more with --max-schedules";
  return report_.coverage.lost != 0 ? ": " + last_loss_ : "";
}

Report run(const Target& target, const RunOptions& options, Observer& observer, SavedSearch* saved) {
  remove_stale_scratch();
  return Explorer(target, as_saved(options, saved), observer, saved).run();
}

}  // namespace heddle
