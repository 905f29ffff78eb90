// See executor.h.
#include "driver/execute/executor.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "driver/execute/plan_ids.h"
#include "driver/process/cpu.h"
#include "driver/target/elf_file.h"
#include "protocol/instrumented.h"
#include "protocol/page.h"
#include "search/registry.h"
#include "trace/assert.h"
#include "trace/words.h"

namespace heddle {
namespace {

// Why the target gave snapshots up; empty: it did not.
std::string why_it_fell_back(const Session& session) {
  return session.region() != nullptr ? session.region()->fallback() : std::string();
}

// `known`: how many files there were when this was asked last.
bool any_linked_by_go(const ModuleMap& modules, std::size_t& known) {
  const std::vector<ModuleMap::Entry>& entries = modules.entries();
  if (std::exchange(known, entries.size()) == entries.size()) return false;
  return std::any_of(entries.begin(), entries.end(),
                     [](const ModuleMap::Entry& entry) { return is_linked_by_go(entry.path); });
}

constexpr std::uint64_t kBeforeGrowing = 500;  // executions of the first worker; a short search does not need more

// Neither by the runtime, which says in a note why, nor by us.
bool ended_by_stranger(const ExecutionFinished& event) {
  const Execution& execution = *event.execution;
  return execution.end.end == EndKind::Killed && event.ended_because.empty() && !execution.damaged &&
         execution.message(MessageKind::Note) == nullptr;
}

// From then on, `then` is now.
double seconds_since(std::chrono::steady_clock::time_point& then) {
  const auto before = std::exchange(then, std::chrono::steady_clock::now());
  return std::chrono::duration<double>(then - before).count();
}

void put_in(Plan& plan, StepLimit::Limits limits) {
  plan.max_steps = limits.steps;
  plan.max_tasks = limits.tasks;
}

LaunchOptions launch_of(const Target& target, const RunOptions& options, ProgramFiles& files) {
  return {target, options, IsolationKind::Fork, -1, false, &files.numbers, &files.loaded};
}

// A script may start several programs, and only one of them is explored. A note that says which, or nothing.
std::string which_program(const ModuleMap& modules, const Target& target, const RunOptions& options) {
  if (modules.empty() || !options.target.empty()) return {};
  const std::string& explored = modules.entries().front().path;
  std::error_code unknown;
  if (!std::filesystem::exists(explored, unknown) || std::filesystem::equivalent(explored, target.path, unknown))
    return {};
  return "what is explored is " + explored + ", the first program to create a thread of those that " +
         options.command.front() + " starts; --target=NAME chooses another";
}

}  // namespace

Executor::Executor(const Target& target, const RunOptions& options)
    : target_(target),
      options_(options),
      isolation_(target, options),
      workers_(launch_of(target, options, files_), isolation_),
      repetition_(options, launch_of(target, options, files_), isolation_, workers_, notes_),
      step_limit_(options, find_strategy(options.search)->remembers_choices),
      most_workers_(options.workers != 0 ? options.workers : default_workers()) {
  if (options.output == OutputMode::All) most_workers_ = 1;  // outputs are shown in the order of the schedules
  workers_.add();
}

// --- plans

// How many are taken does not depend on the isolation or on checks, so neither does the order in which a search asks
// and learns.
bool Executor::can_take(std::size_t besides) const {
  return outstanding() < Workers::kPlansAhead * workers_.size() + besides;
}

void Executor::submit(Plan&& plan) {
  if (workers_.want_another(1)) grow();
  const std::uint32_t own = is_reduction(plan.id) && plan.max_steps != 0 ? plan.max_steps : UINT32_MAX;
  put_in(plan, step_limit_.present());
  plan.max_steps = std::min(plan.max_steps, own);
  workers_.submit(std::move(plan));
}

// One more, if there is enough to do for it and nothing speaks against it.
void Executor::grow() {
  if (workers_.size() >= most_workers_ || finished_ < kBeforeGrowing || keep_all_output_) return;
  if (workers_.have_outside_effects() && options_.workers == 0) {
    most_workers_ = 1;
    notes_.emplace_back(
        "one worker only: the program changes files or takes network ports, and two copies of it could disturb each "
        "other; -j N says otherwise");
    return;
  }
  workers_.add();
  repetition_.check_newest_worker();
}

void Executor::restart() {
  repetition_.restart();
  retried_.clear();
  step_limit_.restart();
  workers_.restart();
}

// With a fresh target; whatever is not done follows.
void Executor::begin_with(Plan plan) {
  repetition_.drop_checks();
  workers_.begin_with(std::move(plan));
}

void Executor::doubt(const Plan& plan, const Execution& execution) {
  HEDDLE_ASSERT(may_doubt(), "only what can be looked at is doubted");
  repetition_.doubt(plan, execution);
}

// --- events

std::optional<ExecutorEvent> Executor::poll(std::chrono::milliseconds limit) {
  std::optional<ExecutorEvent> passed;  // the only one for all of this: an event is large, and so it is never moved
  const auto deal_and_poll = [&] {
    if (workers_.want_another(0)) grow();
    workers_.deal();
    if (repetition_.fresh_start_under_way()) repetition_.check_fresh_start();
    workers_.each_event([&](WorkerEvent& event) {
      on_event(event, passed);
      return passed.has_value();
    });
    return passed.has_value();
  };
  if (deal_and_poll()) return passed;
  const auto until = std::chrono::steady_clock::now() + limit;
  while (!deal_and_poll()) {
    const auto left = until - std::chrono::steady_clock::now();
    if (left <= left.zero() || (outstanding() == 0 && !checking())) break;
    const auto longest = std::chrono::ceil<std::chrono::milliseconds>(left);
    if (repetition_.fresh_start_under_way() && outstanding() == 0)
      repetition_.wait_for_fresh_start(longest);
    else
      workers_.wait(longest);
  }
  return passed;
}

// `passed`: what the explore loop is to see of it.
void Executor::on_event(WorkerEvent& event, std::optional<ExecutorEvent>& passed) {
  if (std::string made = isolation_.find_new_files(); !made.empty()) notes_.push_back(std::move(made));
  if (auto* finished = std::get_if<ExecutionFinished>(&event)) return on_finished(*finished, passed);
  if (auto* lost = std::get_if<PlanLost>(&event)) {
    step_limit_.lose(lost->plan);
    if (is_check(lost->plan)) return repetition_.on_check_lost(lost->plan);
    return void(passed.emplace(std::move(*lost)));
  }
  // A further worker that can't start is no reason to end the run.
  const auto* failed = std::get_if<WorkerFailed>(&event);
  if (&workers_.latest() != &workers_.first()) {
    notes_.push_back("a further worker could not be used (" +
                     (failed != nullptr ? failed->message : "the program ended before it had created a thread") +
                     "): going on with " + std::to_string(workers_.size() - 1));
    workers_.drop_latest();
    most_workers_ = workers_.size();
    return;
  }
  if (auto* ended = std::get_if<EndedBeforeBranching>(&event)) return void(passed.emplace(std::move(*ended)));
  passed.emplace(std::get<WorkerFailed>(std::move(event)));
}

void Executor::on_finished(ExecutionFinished& event, std::optional<ExecutorEvent>& passed) {
  const double seconds = seconds_since(last_event_);
  const auto is_new = [&] { return retried_.insert(event.plan.id).second; };
  if (is_check(event.plan.id)) return on_checked(event, passed);
  if (event.execution->end.end == EndKind::Effect) {
    workers_.remember_outside_effects();
    notes_.push_back(isolation_.change_for(session().status().effects.load(), *event.execution));
    return begin_with(std::move(event.plan));
  }
  if (is_sample(event.plan.id) || is_reduction(event.plan.id))
    return void(passed.emplace(std::in_place_type<ExecutionFinished>, std::move(event)));
  // Memory was short, or somebody killed it: not what this schedule leads to.
  if (ended_by_stranger(event) && is_new()) {
    notes_.emplace_back("a schedule was ended from outside (killed) and is run again; is memory short?");
    return workers_.requeue(std::move(event.plan));
  }
  // What has been written over may be more than its record, and others go on from it. So it shows whether the plan did
  // that or one before it.
  if (event.execution->damaged && is_new()) {
    notes_.emplace_back(
        "what was recorded of a schedule is damaged, most likely since the program wrote into memory that is not its "
        "own; it is run again, in a process that is started afresh");
    event.plan.afresh = true;
    return begin_with(std::move(event.plan));
  }
  if (const auto limits = step_limit_.again(event.plan, *event.execution, seconds)) {
    // What it has behind a lower limit is no part of it: it must not go on from there.
    if (limits->steps < event.plan.max_steps || (limits->tasks != 0 && limits->tasks < event.plan.max_tasks))
      event.plan.afresh = true;
    put_in(event.plan, *limits);
    return workers_.requeue(std::move(event.plan));
  }
  const Repetition::Then then = repetition_.after(event);
  if (then == Repetition::Then::Drop) return;
  if (then == Repetition::Then::Count) {
    if (++finished_ == 1) {
      files_.loaded.remember(session().modules());
      if (std::string which = which_program(session().modules(), target_, options_); !which.empty())
        notes_.push_back(std::move(which));
    }
    repetition_.check_later(event, finished_, most_workers_ == 1);
  }
  passed.emplace(std::in_place_type<ExecutionFinished>, std::move(event));
}

void Executor::on_checked(const ExecutionFinished& event, std::optional<ExecutorEvent>& passed) {
  const std::size_t workers = workers_.size();
  const std::string unfaithful = repetition_.on_checked(event);
  if (workers_.size() < workers) most_workers_ = workers_.size();
  if (unfaithful.empty()) return;
  if (!isolation_.is_automatic()) {
    notes_.push_back("snapshots are not faithful for this program: " + unfaithful + "; use --isolation=auto");
    return;
  }
  isolation_.change_to_fork();
  restart();
  passed.emplace(Restarted{
      "isolation: fork, and the search begins anew, because putting memory back is not enough for this program: " +
      unfaithful});
}

// --- what it tells

void Executor::keep_all_output(bool yes) {
  keep_all_output_ = yes;
  workers_.keep_all_output(yes);
}

std::vector<std::string> Executor::take_notes() {
  if (!target_.goroutines && !has_go_library_)
    has_go_library_ = any_linked_by_go(workers_.first().session().modules(), modules_known_);
  std::vector<std::string> notes = std::exchange(notes_, {});
  workers_.each([&](Worker& worker) {
    for (std::string& text : worker.take_notes()) notes.push_back(std::move(text));
  });
  const Session& first = workers_.first().session();
  if (const std::string why = why_it_fell_back(first); !why.empty() && !fallback_noted_) {
    fallback_noted_ = true;
    notes.push_back("isolation: fork. Snapshots can't be used: " + why);
  }
  if (first.status().switches_by_call.load() != 0 && !switches_by_call_noted_) {
    switches_by_call_noted_ = true;
    notes.emplace_back(
        "each switch between threads is a system call here, and schedules take longer for it: FSGSBASE is not enabled "
        "(it takes Linux 5.9, a processor of 2013 or later, and a hypervisor that shows it), and what helps without it "
        "is not possible, or lacks address space (ulimit -v)");
  }
  return notes;
}

void Executor::tell(Report& report) const {
  const IsolationKind kind = isolation_.kind();
  const Session& first = workers_.first().session();
  report.why_no_snapshots = why_it_fell_back(first);
  report.randomized = first.randomized();
  report.switches_by_call = first.status().switches_by_call.load() != 0;
  const bool fell_back = kind == IsolationKind::Snapshot && !report.why_no_snapshots.empty();
  report.isolation = word_for(kIsolationWords, fell_back ? IsolationKind::Fork : kind);
  report.goroutines = target_.goroutines || has_go_library_;
  report.workers = workers_.size();
  report.max_steps = step_limit_.present().steps;
  report.max_threads = step_limit_.present().tasks;
  report.checkpoints = report.thread_pointer_faults = 0;
  workers_.each([&](const Worker& worker) {
    const Status& status = worker.session().status();
    const std::uint32_t instrumented = status.instrumented.load();
    report.instrumented = report.instrumented || any_instrumented(instrumented);
    report.of_another_version = report.of_another_version || any_of_another_version(instrumented);
    report.atomics_found = std::max(report.atomics_found, status.atomics_found.load());
    report.atomics_left = std::max(report.atomics_left, status.atomics_left.load());
    report.old_values_missed = report.old_values_missed || status.old_values_missed.load() != 0;
    report.races_unchecked = report.races_unchecked || has(status.monitors_missing.load(), MonitorKind::Races);
    const std::uint32_t clock_use = status.clock_read.load();
    report.clock_read_in_time = report.clock_read_in_time || (clock_use & ClockUse::InTime) != 0;
    report.slow_threads = report.slow_threads || (clock_use & ClockUse::PerhapsLate) != 0;
    report.random_drawn = report.random_drawn || status.random_drawn.load() != 0;
    report.processes_ran = report.processes_ran || status.processes_started.load() != 0;
    report.left_control = report.left_control || status.left_control.load() != 0;
    report.dirty_pages = std::max(report.dirty_pages, status.dirty_pages.load());
    report.checkpoints += status.checkpoints.load();
    report.thread_pointer_faults += status.thread_pointer_faults.load();
  });
}

std::uint64_t Executor::saved_bytes() const {
  constexpr std::uint64_t kPage = kPageBytes;
  std::uint64_t pages = 0;
  workers_.each([&](const Worker& worker) { pages += worker.session().status().dirty_pages.load(); });
  return pages * kPage;
}

}  // namespace heddle
