// The two kinds of workers in one: what differs is how many plans one process takes, and what the end of that process
// means.
#include "driver/execute/worker.h"

#include <signal.h>
#include <sys/wait.h>

#include <cstdlib>
#include <deque>
#include <utility>

#include "driver/execute/plan_queue.h"
#include "driver/execute/session.h"
#include "driver/process/wait_status.h"

namespace heddle {
namespace {

constexpr unsigned kMostDeaths = 3;  // of the zygote in a row, without an execution that it finished between them

class ProcessWorker final : public Worker {
 public:
  explicit ProcessWorker(const WorkerOptions& options);

  bool can_take() const override { return in_flight_.size() < capacity_; }
  void submit(Plan&& plan) override;
  std::optional<WorkerEvent> poll(std::chrono::milliseconds limit) override;
  std::size_t outstanding() const override { return in_flight_.size() + (events_.empty() ? 0 : events_.size()); }
  bool branching() const override { return session_.branching(); }
  ModuleMap modules() const override { return session_.modules(); }
  const Config& config() const override { return session_.config(); }
  bool randomized() const override { return session_.randomized(); }
  std::vector<std::string> take_notes() override;
  void keep_all_output(bool yes) override { session_.keep_all_output(yes); }
  void reuse(std::unique_ptr<Execution> execution) override { session_.reuse(std::move(execution)); }
  std::vector<Plan> take_back() override;
  const Status& status() const override { return session_.status(); }
  std::string fallback() const override { return session_.fallback(); }
  void wait(std::chrono::milliseconds limit) override { session_.wait(limit, !in_flight_.empty()); }
  std::atomic<std::uint32_t>* begin_wait() override { return session_.begin_wait(); }
  void end_wait() override { session_.end_wait(!in_flight_.empty()); }

 private:
  std::optional<WorkerEvent> look();
  std::optional<WorkerEvent> finished();
  bool start();
  void send();
  void accept(std::unique_ptr<Execution> execution);
  void on_end(int status);
  void on_zygote_death(int status);
  void lose_front(const std::string& why);
  bool start_again(int status);
  void pop_front();
  EndedBeforeBranching before_branching(int status) const;

  bool forks_;  // fork isolation: one process for all plans
  std::size_t capacity_;
  Session session_;
  bool started_ = false;
  bool has_branched_ = false;  // in some process: what ends before that now is an accident
  std::optional<int> status_;  // the target is gone; its last records may still have to be read
  PlanQueue in_flight_;
  std::size_t sent_ = 0;  // the first so many have been written into the region
  std::deque<WorkerEvent> events_;
  unsigned deaths_ = 0;
  std::vector<std::string> notes_;
  bool spent_ = false;  // nothing more can be run; what is in flight can only be taken back
};

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

ProcessWorker::ProcessWorker(const WorkerOptions& options)
    : forks_(options.launch.isolation != IsolationKind::Exec), capacity_(capacity(options)), session_(options.launch) {}

std::vector<Plan> ProcessWorker::take_back() {
  session_.stop();
  std::vector<Plan> plans;
  for (WorkerEvent& event : events_)
    if (auto* finished = std::get_if<ExecutionFinished>(&event)) plans.push_back(std::move(finished->plan));
  for (Plan& plan : in_flight_.take_all()) plans.push_back(std::move(plan));
  events_.clear();
  return plans;
}

void ProcessWorker::submit(Plan&& plan) {
  in_flight_.push_back(std::move(plan));
  send();
}

std::optional<WorkerEvent> ProcessWorker::poll(std::chrono::milliseconds limit) {
  std::optional<WorkerEvent> event = look();  // one variable for all returns: an event is large, and so is never moved
  if (event || limit.count() <= 0) return event;
  const auto until = std::chrono::steady_clock::now() + limit;
  while (!(event = look())) {
    const auto left = until - std::chrono::steady_clock::now();
    if (left <= left.zero()) break;
    session_.wait(std::chrono::ceil<std::chrono::milliseconds>(left), !in_flight_.empty());
  }
  return event;
}

// The next event, if there is one without sleeping.
std::optional<WorkerEvent> ProcessWorker::look() {
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
      if (forks_ && session_.finished_plan() == in_flight_.front().id) return finished();
      accept(session_.take_execution());
    } else if (status_) {
      on_end(*std::exchange(status_, std::nullopt));
    } else if (status_ = session_.ended(); !status_) {
      return std::nullopt;
    }
  }
}

// The usual case: the execution is that of the oldest plan, and the next one follows.
std::optional<WorkerEvent> ProcessWorker::finished() {
  has_branched_ = true;
  std::optional<WorkerEvent> event(std::in_place, std::in_place_type<ExecutionFinished>);
  auto& finished = std::get<ExecutionFinished>(*event);
  finished.execution = session_.take_execution();
  finished.plan = std::move(in_flight_.front());
  pop_front();
  finished.ended_because = session_.execution_ended_because();
  return event;
}

bool ProcessWorker::start() {
  started_ = true;
  sent_ = 0;
  std::string error = session_.start();
  if (error.empty()) return true;
  spent_ = true;
  events_.push_back(WorkerFailed{std::move(error)});
  return false;
}

void ProcessWorker::send() {
  // Events come in the order of the plans: so one that can never be handed over waits until it is the first.
  while (started_ && !in_flight_.empty() && sent_ == 0 && !SharedRegion::fits(in_flight_.front()))
    lose_front("it has too many steps (" + std::to_string(in_flight_.front().deltas.size()) +
               " choices are planned, which is more than can be handed over); have the test make fewer");
  while (started_ && sent_ < in_flight_.size() && session_.write(in_flight_[sent_])) ++sent_;
}

// Matches an execution with its plan. Those before it in the queue have left no record.
void ProcessWorker::accept(std::unique_ptr<Execution> execution) {
  const std::size_t before = in_flight_.find(execution->plan);
  if (before == in_flight_.size()) return;  // nonsense: no plan of ours
  for (std::size_t lost = 0; lost < before; ++lost) lose_front("it left no record");
  has_branched_ = true;
  events_.push_back(
      ExecutionFinished{std::move(in_flight_.front()), std::move(execution), session_.execution_ended_because()});
  pop_front();
  if (forks_) return;
  session_.stop();
  started_ = false;
}

void ProcessWorker::lose_front(const std::string& why) {
  events_.push_back(PlanLost{in_flight_.front().id, why});
  pop_front();
}

void ProcessWorker::pop_front() {
  in_flight_.pop_front();
  sent_ -= sent_ > 0 ? 1 : 0;
}

std::vector<std::string> ProcessWorker::take_notes() {
  std::vector<std::string> notes = session_.take_notes();
  for (std::string& note : std::exchange(notes_, {})) notes.push_back(std::move(note));
  return notes;
}

// It was killed, not by us, before it came to the execution: that says nothing about the program. A few times.
bool ProcessWorker::start_again(int status) {
  const bool by_stranger = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL && session_.ended_because().empty();
  if (!by_stranger || ++deaths_ >= kMostDeaths) return false;
  notes_.emplace_back(
      "the program was ended from outside (killed) on its way to the first thread and is started again; "
      "is memory short?");
  return true;
}

// The process is gone and its records are read.
void ProcessWorker::on_end(int status) {
  started_ = false;
  const bool began = session_.open_plan().has_value();
  if (!began && (!forks_ || !session_.branching()) && start_again(status)) return;
  if (!session_.branching() && !has_branched_) {
    spent_ = true;
    events_.push_back(before_branching(status));
  } else if (forks_) {
    on_zygote_death(status);
  } else if (session_.open_plan()) {
    const int own_status = status_of_program(session_.open_execution(), status);
    accept(session_.close_open(WIFSIGNALED(own_status) ? EndKind::Crashed : EndKind::Exited, own_status));
  } else {
    lose_front(session_.ended_because().empty()
                   ? "the program " + describe_status(status) + " before the execution began"
                   : "it was ended before the execution began, because " + session_.ended_because());
  }
}

// What it had begun is lost; the rest goes to a fresh one.
void ProcessWorker::on_zygote_death(int status) {
  if (session_.open_plan()) accept(session_.close_open(EndKind::Killed, status));
  if (++deaths_ < kMostDeaths) return;
  spent_ = true;
  const std::string why = session_.ended_because().empty() ? describe_status(status)
                                                           : "had to be ended because " + session_.ended_because();
  events_.push_back(WorkerFailed{"the program's process, from which all executions are forked, " + why + ", " +
                                 std::to_string(kMostDeaths) + " times in a row; try --isolation=exec"});
}

EndedBeforeBranching ProcessWorker::before_branching(int status) const {
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
  event.threads_in_child = session_.threads_in_child();
  return event;
}

}  // namespace

std::unique_ptr<Worker> make_worker(const WorkerOptions& options) { return std::make_unique<ProcessWorker>(options); }

}  // namespace heddle
