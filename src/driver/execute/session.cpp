// See session.h.
#include "driver/execute/session.h"

#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <algorithm>
#include <utility>

#include "analysis/outcome.h"
#include "analysis/symbolizer.h"
#include "driver/process/inspect.h"
#include "trace/module_names.h"

namespace heddle {
namespace {

// Under exec isolation we wait for the end of the process; so often we look whether its ring is full.
constexpr std::chrono::milliseconds kExecPoll{5};

bool is_gone(const Descriptor& process) {
  pollfd wanted{process.get(), POLLIN, 0};
  return process && poll(&wanted, 1, 0) == 1;
}

bool passed(const EndRecord& end) { return end.end == EndKind::Exited && end.status == 0; }

}  // namespace

Session::Session(const LaunchOptions& options)
    : launcher_(options),
      isolation_(options.isolation),
      config_(launcher_.config()),
      reader_(config_, options.numbers),
      supervisor_(options.run.execution_timeout_s, options.target.library) {
  problem_ = output_.create();
  if (problem_.empty()) region_ = SharedRegion::create(problem_);
}

void Session::keep_all_output(bool yes) {
  keep_all_output_ = yes;
  if (region_ != nullptr) region_->status().output_wanted.store(yes ? 1 : 0);
}

std::string Session::start() {
  stop();
  if (!problem_.empty()) return problem_;
  const std::uint32_t left_control = status().left_control.load();
  // Under fork isolation something of the old process may be left and still write: it keeps the old region for itself.
  if (isolation_ != IsolationKind::Exec) {
    auto fresh = SharedRegion::create(problem_);
    if (!fresh) return problem_;
    region_ = std::move(fresh);
  } else {
    region_->reset();
  }
  region_->status().left_control.store(left_control);
  keep_all_output(keep_all_output_);
  output_.clear();
  reader_.restart();
  supervisor_.restart();
  ended_because_.clear();
  return launcher_.start(process_, *region_, output_);
}

// Without a region nothing was started, and nothing has happened.
const Status& Session::status() const {
  static const Status nothing;
  return region_ != nullptr ? region_->status() : nothing;
}

void Session::stop() {
  if (!process_.running()) return;
  // Normally all are in one process group; these may have left it.
  for (const int number : {status().executing.load(), status().controller.load()}) {
    if (number <= 0) continue;
    const Descriptor process = open_process(number);  // first: the number may be another's by the time of the signal
    if (process && descends_from(number, process_.pid()))
      syscall(SYS_pidfd_send_signal, process.get(), SIGKILL, nullptr, 0);
  }
  process_.kill_group();
  region_->records().publish_for_the_dead();
  controller_ = Descriptor();
}

ModuleMap Session::modules() const {
  return region_ == nullptr ? ModuleMap() : reader_.modules(*region_, randomized());
}

bool Session::next_execution() {
  if (reader_.read(*region_, randomized())) return true;
  if (region_->corrupted() && ended_because_.empty()) {
    ended_because_ = "the program wrote into the memory through which Heddle controls it";
    stop();
  }
  return false;
}

LentExecution Session::take_execution() {
  LentExecution execution = reader_.take();
  finish_execution(*execution);
  if (!passed(execution->end))
    region_->records().acknowledge();  // the target waits for it: only now may the output be emptied
  return execution;
}

// What the record can't know: the output, and that it was us who ended it.
void Session::finish_execution(Execution& execution) {
  EndRecord& end = execution.end;
  if (ended_by_stranger(execution)) end.end = EndKind::Killed;
  const bool by_us = end.end == EndKind::Killed && supervisor_.has_ended(status().executions.load());
  execution_ended_because_.clear();
  if (by_us) execution_ended_because_ = supervisor_.why();
  const bool all = keep_all_output_ || end.output_bytes == EndRecord::kAllOutput;
  if (keep_all_output_ || !passed(end)) execution.output = all ? output_.read() : output_.read(end.output_bytes);
}

LentExecution Session::close_open(EndKind kind, int wait_status) {
  if (kind == EndKind::Exited && status().end_seen.load() == 0) region_->status().left_control.store(1);
  EndRecord end;
  end.end = kind;
  end.status = wait_status;
  end.virtual_time = status().virtual_time.load();
  output_.append(region_->take_held_output());
  LentExecution execution = reader_.close(end, status().sum.load());
  finish_execution(*execution);
  return execution;
}

void Session::wait(std::chrono::milliseconds limit, bool busy) {
  if (isolation_ != IsolationKind::Exec) {
    region_->wait(limit);
  } else {
    region_->plans().flush();
    region_->records().acknowledge();
    process_.wait(std::min(limit, kExecPoll));
  }
  supervise(busy);
}

std::atomic<std::uint32_t>* Session::begin_wait() {
  return process_.running() && isolation_ != IsolationKind::Exec ? region_->begin_wait() : nullptr;
}

void Session::end_wait(bool busy) {
  region_->records().end_wait();
  supervise(busy);
}

std::optional<int> Session::ended() {
  const bool many = isolation_ != IsolationKind::Exec && is_branching(*this) && process_.running();
  if (many && !end_checks_.is_due()) return std::nullopt;
  if (const auto status_now = process_.ended()) {
    region_->records().publish_for_the_dead();
    return status_now;
  }
  if (!process_.running()) return ended_because_.empty() ? std::nullopt : std::optional<int>(SIGKILL);
  if (isolation_ == IsolationKind::Exec || !is_branching(*this)) return std::nullopt;
  const int controller = status().controller.load();
  if (controller == process_.pid() || controller <= 0) return std::nullopt;
  if (!controller_) controller_ = open_process(controller);
  if (!is_gone(controller_)) return std::nullopt;
  stop();  // a script whose program is gone has nothing more to say
  return SIGKILL;
}

std::vector<std::string> Session::take_notes() {
  std::vector<std::string> notes = supervisor_.take_notes();
  if (region_ != nullptr)
    child_reports_.take(
        region_->child_news(), [this] { return modules(); }, notes);
  const auto& from_launch = launcher_.notes();
  for (; launch_notes_taken_ < from_launch.size(); ++launch_notes_taken_)
    notes.push_back(from_launch[launch_notes_taken_]);
  return notes;
}

void Session::supervise(bool busy) {
  if (!process_.running()) return;
  const char* const why = supervisor_.complaint(status(), process_.pid(), busy, output_);
  const bool alone = isolation_ != IsolationKind::Exec && is_branching(*this);
  if (why == nullptr || supervisor_.end_execution(why, status(), process_.pid(), alone)) return;
  ended_because_ = why;
  stop();
}

}  // namespace heddle
