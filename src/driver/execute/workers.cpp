// See workers.h.
#include "driver/execute/workers.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "driver/execute/plan_ids.h"
#include "driver/process/futex_wait.h"
#include "trace/assert.h"

namespace heddle {
namespace {

// Neighbouring plans share long prefixes, which checkpoints save: so many in a row go to one worker.
constexpr unsigned kDealtConsecutively = 64;

LaunchOptions launch_on(LaunchOptions launch, const Isolation& isolation, int cpu) {
  launch.isolation = isolation.kind();
  launch.scratch = isolation.in_own_folder();
  launch.pin_to_cpu = cpu;
  return launch;
}

}  // namespace

PinnedWorker::PinnedWorker(const LaunchOptions& launch, const Isolation& isolation, std::size_t plans_ahead)
    : worker({launch_on(launch, isolation, cpu.cpu()), plans_ahead}) {}

// A worker that has failed has nothing any more.
std::size_t Workers::Member::plans() const {
  const std::size_t all = worker.outstanding();
  return all > checks ? all - checks : 0;
}

void Workers::Member::check(Plan plan) {
  ++checks;
  worker.submit(std::move(plan));
}

void Workers::add() {
  members_.push_back(std::make_unique<Member>(launch_, isolation_));
  members_.back()->worker.keep_all_output(keep_all_output_);
}

std::size_t Workers::outstanding() const {
  std::size_t sum = waiting_.empty() ? 0 : waiting_.size();
  for (const auto& member : members_) sum += member->plans();
  return sum;
}

bool Workers::checking() const {
  return std::any_of(members_.begin(), members_.end(), [](const auto& member) { return member->checking(); });
}

bool Workers::have_outside_effects() const {
  return outside_effects_ || std::any_of(members_.begin(), members_.end(), [](const auto& member) {
           return member->worker.session().status().outside_effects.load() != 0;
         });
}

void Workers::keep_all_output(bool yes) {
  keep_all_output_ = yes;
  for (const auto& member : members_) member->worker.keep_all_output(yes);
}

// --- dealing

// Does the next plan go to the worker that got the one before?
bool Workers::goes_on_dealing() const {
  return dealing_ < members_.size() && dealt_ < kDealtConsecutively && members_[dealing_]->can_take();
}

void Workers::submit(Plan&& plan) {
  if (waiting_.empty() && goes_on_dealing()) {
    members_[dealing_]->worker.submit(std::move(plan));
    ++dealt_;
    return;
  }
  waiting_.push_back(std::move(plan));
  deal();
}

void Workers::deal() {
  while (!waiting_.empty()) {
    if (!goes_on_dealing()) {
      const auto less = [](const auto& a, const auto& b) { return a->plans() < b->plans(); };
      dealing_ = static_cast<std::size_t>(std::min_element(members_.begin(), members_.end(), less) - members_.begin());
      dealt_ = 0;
    }
    if (!members_[dealing_]->can_take()) return;
    members_[dealing_]->worker.submit(std::move(waiting_.front()));
    waiting_.pop_front();
    ++dealt_;
  }
}

void Workers::requeue(Plan plan) {
  waiting_.push_back(std::move(plan));
  deal();
}

void Workers::begin_with(Plan plan) {
  std::deque<Plan> plans;
  plans.push_back(std::move(plan));
  for (const auto& member : members_)
    for (Plan& one : member->worker.take_back())
      if (!is_check(one.id)) plans.push_back(std::move(one));
  std::move(waiting_.begin(), waiting_.end(), std::back_inserter(plans));
  restart();
  waiting_ = std::move(plans);
  deal();
}

void Workers::restart() {
  members_.clear();
  waiting_.clear();
  last_ = dealing_ = dealt_ = 0;
  add();
}

void Workers::drop_latest() {
  HEDDLE_ASSERT(members_.size() > 1, "the last worker is never dropped");
  for (Plan& plan : members_[last_]->worker.take_back())
    if (!is_check(plan.id)) waiting_.push_back(std::move(plan));
  members_.erase(members_.begin() + static_cast<std::ptrdiff_t>(last_));
  last_ = dealing_ = 0;
  deal();
}

void Workers::drop_all_but_first() {
  while (members_.size() > 1) {
    last_ = members_.size() - 1;
    drop_latest();
  }
}

void Workers::check_done() {
  HEDDLE_ASSERT(members_[last_]->checks != 0, "a check is brought by the worker that was given it");
  --members_[last_]->checks;
}

// --- waiting

void Workers::wait(std::chrono::milliseconds limit) {
  if (members_.size() == 1) return members_.front()->worker.wait(limit);
  if (isolation_.kind() == IsolationKind::Exec) {
    // Ends of processes wake nobody who waits for another: a short look at each in turn.
    constexpr std::chrono::milliseconds kShort{1};
    waited_for_ = (waited_for_ + 1) % members_.size();
    return members_[waited_for_]->worker.wait(std::min(limit, kShort));
  }
  std::vector<std::atomic<std::uint32_t>*> words;
  bool ready = false;
  for (const auto& member : members_) {
    auto* word = member->worker.begin_wait();
    if (word == nullptr)
      ready = true;
    else
      words.push_back(word);
  }
  constexpr std::chrono::milliseconds kLongest{20};
  if (!ready) wait_for_any(words, 1, std::min(limit, kLongest));
  for (const auto& member : members_) member->worker.end_wait();
}

}  // namespace heddle
