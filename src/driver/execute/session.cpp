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
// Read at a time, so that an execution that never ends can't keep us from looking after it.
constexpr unsigned kMaxRecords = 1u << 16;
// What one execution may print, in bytes: it is kept in memory.
constexpr std::size_t kMaxOutput = std::size_t{256} << 20;

Descriptor open_process(pid_t process) { return Descriptor(static_cast<int>(syscall(SYS_pidfd_open, process, 0))); }

bool is_gone(const Descriptor& process) {
  pollfd wanted{process.get(), POLLIN, 0};
  return process && poll(&wanted, 1, 0) == 1;
}

DecodeLimits decode_limits(const Config& config) {
  DecodeLimits limits;
  limits.steps = config.max_steps + 1;
  return limits;
}

bool passed(const EndRecord& end) { return end.end == EndKind::Exited && end.status == 0; }

}  // namespace

Session::Session(const LaunchOptions& options)
    : launcher_(options),
      isolation_(options.isolation),
      config_(launcher_.config()),
      decoder_(decode_limits(config_)),
      numbers_(options.numbers),
      watchdog_(options.run.execution_timeout_s, options.target.library) {
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
  decoder_.reset();
  same_sites_.restart();
  watchdog_.restart();
  ended_because_.clear();
  killed_.execution = 0;
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
  region_->publish_for_the_dead();
  controller_ = Descriptor();
}

// Numbers are for the files that are in every process from the beginning of executions on.
ModuleMap Session::modules() const {
  if (region_ == nullptr) return {};
  const std::uint32_t at_start = region_->modules_at_start();
  if (numbers_ == nullptr || !randomized()) return region_->modules();
  const ModuleMap modules = region_->modules();
  ModuleMap numbered;
  for (ModuleMap::Entry entry : modules.entries()) {
    if (numbered.entries().size() < at_start) entry.number = numbers_->of(entry.path);
    numbered.add(std::move(entry));
  }
  return numbered;
}

std::span<const Record> Session::known_again(std::span<const Record> records) {
  if (numbers_ == nullptr || records.empty() || !randomized()) return records;
  if (!same_sites_.known()) same_sites_.enter(modules());
  return same_sites_.translate(records);
}

bool Session::next_execution() {
  for (std::size_t count = 0; count < kMaxRecords;) {
    const auto written = region_->peek();
    const auto records = known_again(written);
    if (records.empty()) break;
    decoder_.reuse(desk_->take());
    const std::size_t taken = decoder_.feed(records.data(), records.size(), written.data());
    region_->pass(taken);
    if (decoder_.complete()) return true;
    count += taken;
  }
  if (region_->corrupted() && ended_because_.empty()) {
    ended_because_ = "the program wrote into the memory through which Heddle controls it";
    stop();
  }
  return false;
}

LentExecution Session::take_execution() {
  LentExecution execution(decoder_.take(), desk_);
  finish_execution(*execution);
  if (!passed(execution->end)) region_->acknowledge();  // the target waits for it: only now may the output be emptied
  return execution;
}

// What the record can't know: the output, and that it was us who ended it.
void Session::finish_execution(Execution& execution) {
  EndRecord& end = execution.end;
  if (ended_by_stranger(execution)) end.end = EndKind::Killed;
  const bool by_us =
      end.end == EndKind::Killed && killed_.execution != 0 && killed_.execution == status().executions.load();
  execution_ended_because_.clear();
  if (by_us) execution_ended_because_ = killed_.why;
  const bool all = keep_all_output_ || end.output_bytes == EndRecord::kAllOutput;
  if (keep_all_output_ || !passed(end)) execution.output = all ? output_.read() : output_.read(end.output_bytes);
}

std::optional<PlanId> Session::open_plan() const {
  if (!decoder_.open()) return std::nullopt;
  return decoder_.current().plan;
}

LentExecution Session::close_open(EndKind kind, int wait_status) {
  if (kind == EndKind::Exited && status().end_seen.load() == 0) region_->status().left_control.store(1);
  EndRecord end;
  end.end = kind;
  end.status = wait_status;
  end.virtual_time = status().virtual_time.load();
  decoder_.close(end, status().sum.load());
  output_.append(region_->take_held_output());
  LentExecution execution(decoder_.take(), desk_);
  finish_execution(*execution);
  return execution;
}

void Session::wait(std::chrono::milliseconds limit, bool busy) {
  if (isolation_ != IsolationKind::Exec) {
    region_->wait(limit);
  } else {
    region_->flush();
    region_->acknowledge();
    process_.wait(std::min(limit, kExecPoll));
  }
  supervise(busy);
}

std::atomic<std::uint32_t>* Session::begin_wait() {
  return process_.running() && isolation_ != IsolationKind::Exec ? region_->begin_wait() : nullptr;
}

void Session::end_wait(bool busy) {
  region_->end_wait();
  supervise(busy);
}

std::optional<int> Session::ended() {
  const bool many = isolation_ != IsolationKind::Exec && branching() && process_.running();
  if (many && !end_checks_.is_due()) return std::nullopt;
  if (const auto status_now = process_.ended()) {
    region_->publish_for_the_dead();
    return status_now;
  }
  if (!process_.running()) return ended_because_.empty() ? std::nullopt : std::optional<int>(SIGKILL);
  if (isolation_ == IsolationKind::Exec || !branching()) return std::nullopt;
  const int controller = status().controller.load();
  if (controller == process_.pid() || controller <= 0) return std::nullopt;
  if (!controller_) controller_ = open_process(controller);
  if (!is_gone(controller_)) return std::nullopt;
  stop();  // a script whose program is gone has nothing more to say
  return SIGKILL;
}

std::vector<std::string> Session::take_notes() {
  std::vector<std::string> notes = watchdog_.take_notes();
  if (region_ != nullptr) take_child_news(notes);
  const auto& from_launch = launcher_.notes();
  for (; launch_notes_taken_ < from_launch.size(); ++launch_notes_taken_)
    notes.push_back(from_launch[launch_notes_taken_]);
  return notes;
}

// What children of the program say of themselves; each thing once.
bool Session::threads_in_child() const {
  return region_ != nullptr && region_->child_news().threaded.state.load() == ChildNews::kWritten;
}

void Session::take_child_news(std::vector<std::string>& notes) {
  const ChildNews& news = region_->child_news();
  const auto place = [this](const ChildNews::Item& item) {
    Symbolizer symbolizer(modules());
    const Frame frame = symbolizer.frames(item.site).back();
    if (frame.file.empty()) return symbolizer.raw(item.site);
    return std::string(file_name(frame.file)) + ":" + std::to_string(frame.line);
  };
  if (news.hung.state.load() == ChildNews::kWritten && !std::exchange(told_of_.hung, true))
    notes.push_back("a child process that the program forked stands still for ever, at " + place(news.hung) + " (" +
                    name(news.hung.operation) +
                    "): fork copies only the thread that calls it, and none of the others can let it go on");
  if (threads_in_child() && !std::exchange(told_of_.threads, true))
    notes.push_back("a child process that the program forked creates threads, at " + place(news.threaded) +
                    ": these are not controlled, but run in one order only");
  if (news.misused.state.load() == ChildNews::kWritten && !std::exchange(told_of_.misuse, true))
    notes.push_back("a child process that the program forked did what pthreads does not allow, at " +
                    place(news.misused) + " (" + name(news.misused.operation) + "): it was ended with SIGABRT");
}

void Session::supervise(bool busy) {
  if (!process_.running()) return;
  if (watchdog_.overdue(status(), process_.pid(), busy)) end_overdue("it took longer than --execution-timeout");
  if (output_checks_.is_due() && output_.size() > kMaxOutput) end_overdue("it printed more than 256 MiB");
}

// Ends the execution that takes too long; the target itself only if there is no other way.
void Session::end_overdue(const char* why) {
  using std::chrono::steady_clock;
  constexpr std::chrono::seconds kGrace{2};  // for the zygote to report the end of what we killed
  const std::uint64_t number = status().executions.load();
  killed_.why = why;
  if (isolation_ != IsolationKind::Exec && branching() && number != 0) {
    if (killed_.execution != number) {
      killed_.execution = number;
      killed_.at = steady_clock::now();
      if (kill_execution()) return;
    } else if (steady_clock::now() - killed_.at < kGrace) {
      return;
    }
  }
  killed_.execution = number;
  ended_because_ = why;
  stop();
}

bool Session::kill_execution() {
  const std::uint64_t number = status().executions.load();
  const int executing = status().executing.load();
  if (executing <= 0 || executing == status().controller.load()) return false;
  const Descriptor process = open_process(executing);
  if (!descends_from(executing, process_.pid())) return false;
  if (!process || status().executing.load() != executing || status().executions.load() != number)
    return true;  // just over
  return syscall(SYS_pidfd_send_signal, process.get(), SIGKILL, nullptr, 0) == 0;
}

}  // namespace heddle
