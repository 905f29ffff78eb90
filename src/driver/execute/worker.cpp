// See worker.h.
#include "driver/execute/worker.h"

#include <signal.h>
#include <sys/wait.h>

#include <cstdlib>
#include <cstring>
#include <utility>

#include "driver/process/wait_status.h"
#include "trace/assert.h"

namespace heddle {
namespace {

constexpr unsigned kMaxDeaths = 3;  // of the zygote in a row, without an execution that it finished between them

// The status of the program itself. Where a script stands between it and us, `status` is the script's: a shell makes
// exit status 128 + n of signal n, but what the program recorded of its end is certain.
int status_of_program(const Execution& execution, int status) {
  const ExecutionMessage* fatal = execution.message(MessageKind::Signal);
  if (!WIFEXITED(status) || fatal == nullptr) return status;
  const int number = std::atoi(fatal->text.c_str());
  return number > 0 && number < 65 ? number : status;
}

std::size_t capacity(const WorkerOptions& options) {
  return options.launch.isolation == IsolationKind::Exec ? 1 : options.plans_ahead;
}

}  // namespace

Worker::Worker(const WorkerOptions& options)
    : forks_(options.launch.isolation != IsolationKind::Exec), capacity_(capacity(options)), session_(options.launch) {}

std::vector<Plan> Worker::take_back() {
  session_.stop();
  std::vector<Plan> plans;
  for (WorkerEvent& event : events_)
    if (auto* finished = std::get_if<ExecutionFinished>(&event)) plans.push_back(std::move(finished->plan));
  for (Plan& plan : in_flight_.take_all()) plans.push_back(std::move(plan));
  events_.clear();
  return plans;
}

void Worker::submit(Plan&& plan) {
  HEDDLE_ASSERT(can_take(), "a worker is given plans only while it can take them");
  in_flight_.push_back(std::move(plan));
  send();
}

std::optional<WorkerEvent> Worker::poll(std::chrono::milliseconds limit) {
  std::optional<WorkerEvent> event = poll();  // one variable for all returns: moving an event is dear
  if (event || limit.count() <= 0) return event;
  const auto until = std::chrono::steady_clock::now() + limit;
  while (!(event = poll())) {
    const auto left = until - std::chrono::steady_clock::now();
    if (left <= left.zero()) break;
    session_.wait(std::chrono::ceil<std::chrono::milliseconds>(left), !in_flight_.empty());
  }
  return event;
}

// The next event, if there is one without sleeping.
std::optional<WorkerEvent> Worker::poll() {
  for (;;) {
    if (!events_.empty()) {
      WorkerEvent event = std::move(events_.front());
      events_.pop_front();
      return event;
    }
    if (in_flight_.empty() || spent_) return std::nullopt;
    if (!started_ && !start()) continue;
    send();
    if (session_.next_execution()) {
      deaths_ = 0;
      if (forks_ && session_.reader().current().plan == in_flight_.front().id) return finished();
      accept(session_.take_execution());
    } else if (status_) {
      on_end(*std::exchange(status_, std::nullopt));
    } else if (status_ = session_.ended(); !status_) {
      return std::nullopt;
    }
  }
}

// The usual case: the execution is that of the oldest plan, and the next one follows.
std::optional<WorkerEvent> Worker::finished() {
  has_branched_ = true;
  std::optional<WorkerEvent> event(std::in_place, std::in_place_type<ExecutionFinished>);
  auto& finished = std::get<ExecutionFinished>(*event);
  finished.execution = session_.take_execution();
  finished.plan = std::move(in_flight_.front());
  pop_front();
  finished.ended_because = session_.execution_ended_because();
  return event;
}

bool Worker::start() {
  started_ = true;
  sent_ = 0;
  status_.reset();  // of the process before: its last execution may have been read after its end was seen
  std::string error = session_.start();
  if (error.empty()) return true;
  spent_ = true;
  events_.push_back(WorkerFailed{std::move(error)});
  return false;
}

void Worker::send() {
  // Events come in the order of the plans: so one that can never be handed over waits until it is the first.
  while (started_ && !in_flight_.empty() && sent_ == 0 && !PlanRing::fits(in_flight_.front()))
    lose_front("it has too many steps (" + std::to_string(in_flight_.front().deltas.size()) +
               " choices are planned, which is more than can be handed over); have the test make fewer");
  while (started_ && sent_ < in_flight_.size() && session_.write(in_flight_[sent_])) ++sent_;
}

// Matches an execution with its plan. Those before it in the queue have left no record.
void Worker::accept(LentExecution execution) {
  const std::size_t before = in_flight_.find(execution->plan);
  if (before == in_flight_.size()) {
    notes_.emplace_back(
        "a schedule was recorded that was not asked for, most likely since the program wrote into memory that is not "
        "its own; it does not count");
    return;
  }
  for (std::size_t lost = 0; lost < before; ++lost) lose_front("it left no record");
  has_branched_ = true;
  events_.push_back(
      ExecutionFinished{std::move(in_flight_.front()), std::move(execution), session_.execution_ended_because()});
  pop_front();
  if (forks_) return;
  session_.stop();
  started_ = false;
}

void Worker::lose_front(const std::string& why) {
  events_.push_back(PlanLost{in_flight_.front().id, why});
  pop_front();
}

void Worker::pop_front() {
  in_flight_.pop_front();
  sent_ -= sent_ > 0 ? 1 : 0;
}

std::vector<std::string> Worker::take_notes() {
  std::vector<std::string> notes = session_.take_notes();
  for (std::string& note : std::exchange(notes_, {})) notes.push_back(std::move(note));
  return notes;
}

// It was killed, not by us, before it came to the execution: that says nothing about the program. A few times.
bool Worker::start_again(int status) {
  const bool by_stranger = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL && session_.ended_because().empty();
  if (!by_stranger || ++deaths_ >= kMaxDeaths) return false;
  notes_.emplace_back(
      "the program was ended from outside (killed) on its way to the first thread and is started again; "
      "is memory short?");
  return true;
}

// The process is gone and its records are read.
void Worker::on_end(int status) {
  if (const Status& shared = session_.status(); shared.assertion_failed.load() != 0)
    throw AssertionFailed("this should always be true in the program's process: " +
                          std::string(shared.failed_assertion, strnlen(shared.failed_assertion, kReasonCapacity)));
  started_ = false;
  const bool began = session_.reader().open_plan().has_value();
  if (!began && (!forks_ || !is_branching(session_)) && start_again(status)) return;
  if (!is_branching(session_) && !has_branched_) {
    spent_ = true;
    events_.push_back(before_branching(status));
  } else if (forks_) {
    on_zygote_death(status);
  } else if (session_.reader().open_plan()) {
    const int own_status = status_of_program(session_.reader().current(), status);
    accept(session_.close_open(WIFSIGNALED(own_status) ? EndKind::Crashed : EndKind::Exited, own_status));
  } else {
    lose_front(session_.ended_because().empty()
                   ? "the program " + describe_status(status) + " before the execution began"
                   : "it was ended before the execution began, because " + session_.ended_because());
  }
}

// What it had begun is lost; the rest goes to a fresh one.
void Worker::on_zygote_death(int status) {
  if (session_.reader().open_plan()) accept(session_.close_open(EndKind::Killed, status));
  if (++deaths_ < kMaxDeaths) return;
  spent_ = true;
  const std::string why = session_.ended_because().empty() ? describe_status(status)
                                                           : "had to be ended because " + session_.ended_because();
  events_.push_back(WorkerFailed{"the program's process, from which all executions are forked, " + why + ", " +
                                 std::to_string(kMaxDeaths) + " times in a row; try --isolation=exec"});
}

EndedBeforeBranching Worker::before_branching(int status) const {
  const Status& shared = session_.status();
  EndedBeforeBranching event;
  event.status = status;
  event.output = session_.output();
  event.why = session_.ended_because();
  event.target = session_.config().target;
  event.problem = shared.problem.load();
  event.runtime_version = shared.runtime_version.load();
  event.preloaded_processes = shared.preloaded_processes.load();
  event.threads_uncontrolled = shared.threads_uncontrolled.load();
  event.threads_in_child = session_.region() != nullptr && session_.region()->threads_in_child();
  return event;
}

}  // namespace heddle
