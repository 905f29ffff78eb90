// See executor.h.
#include "driver/execute/executor.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <system_error>
#include <utility>

#include "driver/explore/samples.h"
#include "driver/process/futex_wait.h"
#include "driver/process/scratch.h"
#include "protocol/instrumented.h"
#include "protocol/page.h"
#include "trace/compare.h"
#include "trace/words.h"

namespace heddle {
namespace {

constexpr std::size_t kPlansAhead = 256;  // per worker
// Neighbouring plans share long prefixes, which checkpoints save: so many in a row go to one worker.
constexpr unsigned kDealtInARow = 64;
constexpr std::uint64_t kBeforeGrowing = 500;  // executions of the first worker; a short search does not need more
constexpr std::size_t kMostNamed = 5;          // files in one line

IsolationKind first_isolation(const RunOptions& options) {
  // Threads that exist before the start mark are kernel threads under the thread carrier, and fork() would leave them
  // behind.
  const bool threads_before = !options.start_at.empty() && options.carrier == CarrierKind::Thread;
  switch (options.isolation) {
    case IsolationChoice::Snapshot:
      return IsolationKind::Snapshot;
    case IsolationChoice::Fork:
      return IsolationKind::Fork;
    case IsolationChoice::Exec:
      return IsolationKind::Exec;
    case IsolationChoice::Auto:
      break;
  }
  if (threads_before) return IsolationKind::Exec;
  return options.carrier == CarrierKind::Fiber ? IsolationKind::Snapshot : IsolationKind::Fork;
}

// Neither by the runtime, which says in a note why, nor by us.
bool ended_by_stranger(const ExecutionFinished& event) {
  const Execution& execution = *event.execution;
  return execution.end.end == EndKind::Killed && event.ended_because.empty() && !execution.damaged &&
         execution.message(MessageKind::Note) == nullptr;
}

std::string text_of_effect(const Execution& execution) {
  const ExecutionMessage* message = execution.message(MessageKind::Effect);
  return message != nullptr ? message->text : "does something that can't be undone";
}

// Others may make files here meanwhile. Only of those with another owner it is certain that they were not made by a
// program that could not have given them away.
bool may_be_ours(const std::string& name) {
  struct stat status {};
  return geteuid() == 0 || lstat(name.c_str(), &status) != 0 || status.st_uid == geteuid();
}

}  // namespace

Executor::Executor(const Target& target, const RunOptions& options)
    : target_(target),
      options_(options),
      isolation_(first_isolation(options)),
      scratch_(options.isolation == IsolationChoice::Exec),
      most_workers_(options.workers != 0 ? options.workers : default_workers()) {
  if (options.output == OutputMode::All) most_workers_ = 1;  // outputs are shown in the order of the schedules
  add_worker();
}

// --- workers

std::unique_ptr<Executor::Slot> Executor::make_slot() {
  auto slot = std::make_unique<Slot>();
  LaunchOptions launch{target_, options_, isolation_, slot->cpu.cpu(), scratch_, &numbers_, &files_};
  slot->worker = make_worker({launch, kPlansAhead + kMostChecks});
  return slot;
}

void Executor::add_worker() {
  workers_.push_back(make_slot());
  workers_.back()->worker->keep_all_output(keep_all_output_);
}

// One more, if there is enough to do for it and nothing speaks against it.
void Executor::grow() {
  if (workers_.size() >= most_workers_ || finished_ < kBeforeGrowing || keep_all_output_) return;
  if (has_outside_effects() && options_.workers == 0) {
    most_workers_ = 1;
    note(
        "one worker only: the program changes files or takes network ports, and two copies of it could disturb each "
        "other; -j N says otherwise");
    return;
  }
  add_worker();
  check_new_worker();
}

bool Executor::has_outside_effects() const {
  const auto seen = [](const auto& slot) { return slot->worker->status().outside_effects.load() != 0; };
  return outside_effects_ || std::any_of(workers_.begin(), workers_.end(), seen);
}

std::size_t Executor::least_loaded() const {
  const auto less = [](const auto& a, const auto& b) { return a->plans() < b->plans(); };
  return static_cast<std::size_t>(std::min_element(workers_.begin(), workers_.end(), less) - workers_.begin());
}

// A worker that has failed has nothing any more.
std::size_t Executor::Slot::plans() const {
  const std::size_t all = worker->outstanding();
  return all > checks ? all - checks : 0;
}

bool Executor::Slot::can_take() const { return worker->can_take() && plans() < kPlansAhead; }

// How many are taken does not depend on the isolation or on checks, so neither does the order in which a search asks
// and learns.
bool Executor::can_take(std::size_t besides) const { return outstanding() < kPlansAhead * workers_.size() + besides; }

void Executor::submit(Plan&& plan) {
  if (waiting_.empty() && goes_on_dealing()) {
    workers_[dealing_]->worker->submit(std::move(plan));
    ++dealt_;
    return;
  }
  waiting_.push_back(std::move(plan));
  deal();
}

// Does the next plan go to the worker that got the one before?
bool Executor::goes_on_dealing() const {
  return dealing_ < workers_.size() && dealt_ < kDealtInARow && workers_[dealing_]->can_take();
}

void Executor::deal() {
  while (!waiting_.empty()) {
    if (!goes_on_dealing()) {
      if (!workers_.empty() && outstanding() >= kPlansAhead / 2) grow();
      dealing_ = least_loaded();
      dealt_ = 0;
    }
    if (!workers_[dealing_]->can_take()) return;
    workers_[dealing_]->worker->submit(std::move(waiting_.front()));
    waiting_.pop_front();
    ++dealt_;
  }
}

std::size_t Executor::outstanding() const {
  std::size_t sum = waiting_.empty() ? 0 : waiting_.size();
  for (const auto& slot : workers_) sum += slot->plans();
  return sum;
}

bool Executor::checking() const {
  return fresh_start_ != nullptr ||
         std::any_of(workers_.begin(), workers_.end(), [](const auto& slot) { return slot->checking(); });
}

void Executor::take_back_all() {
  std::vector<Plan> plans;
  for (const auto& slot : workers_)
    for (Plan& plan : slot->worker->take_back())
      if (!is_check(plan.id)) plans.push_back(std::move(plan));
  checks_.clear();
  waiting_.insert(waiting_.begin(), std::make_move_iterator(plans.begin()), std::make_move_iterator(plans.end()));
  workers_.clear();
  if (fresh_start_) started_afresh_ = false;
  fresh_start_.reset();
  last_ = dealing_ = dealt_ = 0;
}

// --- events

std::optional<ExecutorEvent> Executor::poll(std::chrono::milliseconds limit) {
  // One variable for all returns, here and in look(): an event is large, and so it is never moved.
  std::optional<ExecutorEvent> event = look();
  if (event) return event;
  const auto until = std::chrono::steady_clock::now() + limit;
  while (!(event = look())) {
    const auto left = until - std::chrono::steady_clock::now();
    if (left <= left.zero() || (outstanding() == 0 && !checking())) break;
    wait(std::chrono::ceil<std::chrono::milliseconds>(left));
  }
  return event;
}

// The next event that the explore loop is to see, without sleeping.
std::optional<ExecutorEvent> Executor::look() {
  std::optional<ExecutorEvent> passed;
  if (!waiting_.empty()) deal();
  if (fresh_start_) look_at_fresh_start();
  for (std::size_t tried = 0; tried < workers_.size();) {
    if (last_ >= workers_.size()) last_ = 0;
    auto event = workers_[last_]->worker->poll(std::chrono::milliseconds(0));
    if (!event) {
      ++last_;
      ++tried;
      continue;
    }
    if (!looked_for_files_) look_for_new_files();
    if (auto* finished = std::get_if<ExecutionFinished>(&*event)) {
      on_finished(*finished, passed);
    } else {
      passed = pass(*event);
    }
    if (passed) return passed;
    tried = 0;
  }
  if (last_ >= workers_.size()) last_ = 0;
  return passed;
}

// What the program makes before its first thread is made in the user's folder: only later it shows that it needs one of
// its own. It gets no link in that, so that a fresh start finds what the first one found. Who has made it does not
// show.
void Executor::look_for_new_files() {
  looked_for_files_ = true;
  if (scratch_) return;
  for (const std::string& name : names_here()) {
    if (!is_written_by_heddle(options_, name) && target_.folder.count(name) == 0 && may_be_ours(name))
      made_files_.push_back(name);
  }
  if (made_files_.empty()) return;
  std::string made;
  for (std::size_t i = 0; i < std::min(made_files_.size(), kMostNamed); ++i)
    made += (made.empty() ? "" : ", ") + made_files_[i];
  if (made_files_.size() > kMostNamed) made += " and " + std::to_string(made_files_.size() - kMostNamed) + " more";
  note(
      "before its first thread the program, or somebody else meanwhile, made this in the present folder, where it "
      "stays: " +
      made +
      "; fresh starts, in a folder of their own, don't find it, unless the program knows it by an absolute path; "
      "--isolation=exec runs it in a folder of its own from the beginning");
}

std::optional<ExecutorEvent> Executor::pass(WorkerEvent& event) {
  if (auto* lost = std::get_if<PlanLost>(&event)) {
    if (is_check(lost->plan)) return drop_check(lost->plan), std::nullopt;
    return std::move(*lost);
  }
  if (drop_failed_worker(event)) return std::nullopt;
  if (auto* ended = std::get_if<EndedBeforeBranching>(&event)) return std::move(*ended);
  return std::move(std::get<WorkerFailed>(event));
}

// A script may start several programs, and only one of them is explored.
void Executor::note_which_program() {
  const ModuleMap map = modules();
  if (map.empty() || !options_.target.empty()) return;
  const std::string& explored = map.entries().front().path;
  std::error_code unknown;
  if (!std::filesystem::exists(explored, unknown) || std::filesystem::equivalent(explored, target_.path, unknown))
    return;
  note("what is explored is " + explored + ", the first program to create a thread of those that " +
       options_.command.front() + " starts; --target=NAME chooses another");
}

void Executor::on_finished(ExecutionFinished& event, std::optional<ExecutorEvent>& passed) {
  if (event.execution->end.end == EndKind::Effect && !is_check(event.plan.id)) return on_effect(event);
  if (is_check(event.plan.id)) {
    --workers_[last_]->checks;
    const Slot* const own = workers_[last_].get();
    passed = on_checked(*event.execution);
    if (!passed && workers_[last_].get() == own) reuse(std::move(event.execution));
    return;
  }
  if (Samples::is_sample(event.plan.id))
    return void(passed.emplace(std::in_place_type<ExecutionFinished>, std::move(event)));
  if (ended_by_stranger(event) && retried_.insert(event.plan.id).second) return run_again(event);
  if (event.execution->damaged && retried_.insert(event.plan.id).second) return run_elsewhere(std::move(event.plan));
  if (rehearse(event) || on_not_followed(event, passed)) return;
  if (++finished_ == 1) {
    files_.remember(modules());
    note_which_program();
  }
  check_later(event.plan, *event.execution);
  if (is_time_for_fresh_start()) compare_with_fresh_start();
  passed.emplace(std::in_place_type<ExecutionFinished>, std::move(event));
}

// To be run once more: behind all that has been taken, under every isolation. It goes to its worker before the next
// event is looked at: else, of two such plans, which comes first would depend on whether the second one's event was
// there yet, and with that what the search learns first.
void Executor::put_back(Plan plan) {
  waiting_.push_back(std::move(plan));
  deal();
}

// Memory was short, or somebody killed it: not what this schedule leads to.
void Executor::run_again(ExecutionFinished& event) {
  note("a schedule was ended from outside (killed) and is run again; is memory short?");
  put_back(std::move(event.plan));
  reuse(std::move(event.execution));
}

// What has been written over may be more than its record, and others go on from it. So it shows whether the plan did
// that or one before it.
void Executor::run_elsewhere(Plan plan) {
  note(
      "what was recorded of a schedule is damaged, most likely since the program wrote into memory that is not its "
      "own; "
      "it is run again, in a process that is started afresh");
  plan.afresh = true;
  begin_with(std::move(plan));
}

// With a fresh target; whatever is not done follows.
void Executor::begin_with(Plan plan) {
  take_back_all();
  waiting_.push_front(std::move(plan));
  add_worker();
  deal();
}

// --- isolation

void Executor::on_effect(ExecutionFinished& event) {
  const EffectLevel level = workers_[last_]->worker->status().effects.load();
  outside_effects_ = has_outside_effects();  // a fresh start does not watch for them
  std::string what = text_of_effect(*event.execution);
  waiting_.push_front(std::move(event.plan));
  const bool own_folder = level == EffectLevel::Exec || !made_files_.empty();
  if (own_folder && level != EffectLevel::Exec) what += ", and has made files that another start would find";
  change_isolation(own_folder ? IsolationKind::Exec : IsolationKind::Fork, what);
}

void Executor::change_isolation(IsolationKind kind, const std::string& why) {
  Plan first = std::move(waiting_.front());
  waiting_.pop_front();
  const bool again = isolation_changed_;  // a second line must not read as if it contradicted the first
  isolation_changed_ = true;
  isolation_ = kind;
  scratch_ = kind == IsolationKind::Exec;
  const std::string how = kind == IsolationKind::Exec
                              ? "every execution is a fresh start of the program, in a folder of its own"
                              : "every execution is a process of its own";
  note("isolation: " + std::string(word_for(kIsolationWords, kind)) +
       (again ? ", from here on instead of fork: " : ", from here on: ") + how + ", because the program " +
       (again ? "also " : "") + why);
  begin_with(std::move(first));
}

// A further worker that can't start is no reason to end the run.
bool Executor::drop_failed_worker(const WorkerEvent& event) {
  if (last_ == 0 || workers_.size() < 2) return false;
  std::string why = "the program ended before it had created a thread";
  if (const auto* failed = std::get_if<WorkerFailed>(&event)) why = failed->message;
  note("a further worker could not be used (" + why + "): going on with " + std::to_string(workers_.size() - 1));
  drop_worker();
  return true;
}

// The one whose event came last; its plans go to the others.
void Executor::drop_worker() {
  for (Plan& plan : workers_[last_]->worker->take_back())
    if (!is_check(plan.id)) waiting_.push_back(std::move(plan));
  workers_.erase(workers_.begin() + static_cast<std::ptrdiff_t>(last_));
  most_workers_ = workers_.size();
  last_ = dealing_ = 0;
  deal();
}

// --- the rest

void Executor::reuse(std::unique_ptr<Execution> execution) {
  if (last_ < workers_.size()) workers_[last_]->worker->reuse(std::move(execution));
}

std::vector<std::string> Executor::take_notes() {
  std::vector<std::string> notes = std::exchange(notes_, {});
  for (const auto& slot : workers_)
    for (std::string& text : slot->worker->take_notes()) notes.push_back(std::move(text));
  if (const std::string why = workers_.front()->worker->fallback(); !why.empty() && !fallback_noted_) {
    fallback_noted_ = true;
    notes.push_back("isolation: fork. Snapshots can't be used: " + why);
  }
  if (workers_.front()->worker->status().switches_by_call.load() != 0 && !switches_by_call_noted_) {
    switches_by_call_noted_ = true;
    notes.emplace_back(
        "each switch between threads is a system call here, and schedules take longer for it: FSGSBASE is not enabled "
        "(it takes Linux 5.9, a processor of 2013 or later, and a hypervisor that shows it), and what helps without it "
        "is not possible, or lacks address space (ulimit -v)");
  }
  return notes;
}

void Executor::keep_all_output(bool yes) {
  keep_all_output_ = yes;
  for (const auto& slot : workers_) slot->worker->keep_all_output(yes);
}

void Executor::tell(Report& report) const {
  const bool fell_back = isolation_ == IsolationKind::Snapshot && !workers_.front()->worker->fallback().empty();
  report.isolation = word_for(kIsolationWords, fell_back ? IsolationKind::Fork : isolation_);
  report.workers = workers_.size();
  for (const auto& slot : workers_) {
    const Status& status = slot->worker->status();
    const std::uint32_t instrumented = status.instrumented.load();
    report.instrumented = report.instrumented || any_instrumented(instrumented);
    report.of_another_version = report.of_another_version || any_of_another_version(instrumented);
    report.random_drawn = report.random_drawn || status.random_drawn.load() != 0;
    report.processes_ran = report.processes_ran || status.processes_started.load() != 0;
    report.left_control = report.left_control || status.left_control.load() != 0;
    report.hot_pages = std::max(report.hot_pages, status.hot_pages.load());
    report.checkpoints += status.checkpoints.load();
    report.thread_pointer_faults += status.thread_pointer_faults.load();
  }
}

std::uint64_t Executor::saved_bytes() const {
  constexpr std::uint64_t kPage = kPageBytes;
  std::uint64_t pages = 0;
  for (const auto& slot : workers_) pages += slot->worker->status().hot_pages.load();
  return pages * kPage;
}

// Sleeps until one of the workers may have something.
void Executor::wait(std::chrono::milliseconds limit) {
  if (fresh_start_ && outstanding() == 0) return fresh_start_->worker->wait(limit);
  if (workers_.size() == 1) return workers_.front()->worker->wait(limit);
  if (isolation_ == IsolationKind::Exec) {
    // Ends of processes wake nobody who waits for another: a short look at each in turn.
    constexpr std::chrono::milliseconds kShort{1};
    waited_for_ = (waited_for_ + 1) % workers_.size();
    return workers_[waited_for_]->worker->wait(std::min(limit, kShort));
  }
  std::vector<std::atomic<std::uint32_t>*> words;
  bool ready = false;
  for (const auto& slot : workers_) {
    auto* word = slot->worker->begin_wait();
    if (word == nullptr)
      ready = true;
    else
      words.push_back(word);
  }
  constexpr std::chrono::milliseconds kLongest{20};
  if (!ready) wait_for_any(words, 1, std::min(limit, kLongest));
  for (const auto& slot : workers_) slot->worker->end_wait();
}

}  // namespace heddle
