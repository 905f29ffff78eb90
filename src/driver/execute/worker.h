// A worker runs plans: one program under the runtime, on one CPU. The isolations differ in how many plans one process
// takes, and in what the end of that process means. Under snapshot and fork isolation one process takes them all; under
// exec isolation the program is started afresh for each.
#pragma once

#include <atomic>
#include <chrono>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "driver/execute/events.h"
#include "driver/execute/plan_queue.h"
#include "driver/execute/session.h"

namespace heddle {

struct WorkerOptions {
  LaunchOptions launch;
  std::size_t plans_ahead = 128;  // under exec isolation it is always 1
};

class Worker {
 public:
  explicit Worker(const WorkerOptions& options);

  bool can_take() const { return in_flight_.size() < capacity_; }
  // Only while can_take().
  void submit(Plan&& plan);
  // The next event; nothing when there is none within `limit`. Events come in the order in which plans were submitted.
  std::optional<WorkerEvent> poll(std::chrono::milliseconds limit);
  std::size_t outstanding() const { return in_flight_.size() + events_.size(); }
  // The plans that were submitted and have brought no event yet. The worker is spent then.
  std::vector<Plan> take_back();
  // The program that runs now, or ran last: what it is, and what it says of itself.
  const Session& session() const { return session_; }
  std::vector<std::string> take_notes();
  // Whether the output of every execution is wanted, not only of those that fail. Changes hold from the next plan on
  // that is submitted while none is outstanding.
  void keep_all_output(bool yes) { session_.keep_all_output(yes); }
  // Sleeps until there may be an event, but at most `limit`; looks after the target.
  void wait(std::chrono::milliseconds limit) { session_.wait(limit, !in_flight_.empty()); }
  // For waiting on several workers at once: the word that the target will wake and that holds 1 until then; null if
  // there may be an event already. end_wait() afterwards, in any case.
  std::atomic<std::uint32_t>* begin_wait() { return session_.begin_wait(); }
  void end_wait() { session_.end_wait(!in_flight_.empty()); }

 private:
  std::optional<WorkerEvent> poll();
  std::optional<WorkerEvent> finished();
  bool start();
  void send();
  void accept(LentExecution execution);
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

}  // namespace heddle
