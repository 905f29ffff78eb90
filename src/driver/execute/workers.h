// The workers that plans are dealt to, and the plans that wait for one. They also run the checks (checks.h), which are
// not counted among the plans.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "driver/execute/isolation.h"
#include "driver/execute/worker.h"
#include "driver/process/cpu.h"

namespace heddle {

// A worker with a CPU of its own.
struct PinnedWorker {
  // `launch`: but for the isolation, which is the present one, and the CPU.
  PinnedWorker(const LaunchOptions& launch, const Isolation& isolation, std::size_t plans_ahead);

  CpuClaim cpu;
  Worker worker;
};

class Workers {
 public:
  static constexpr std::size_t kPlansAhead = 256;  // per worker
  static constexpr std::size_t kMaxChecks = 16;    // that one worker has at once, beside its plans

  // `launch`: what is the same for all of them. `isolation`: asked whenever one is added.
  Workers(const LaunchOptions& launch, const Isolation& isolation) : launch_(launch), isolation_(isolation) {}

  void add();
  std::size_t size() const { return members_.size(); }
  std::size_t outstanding() const;
  bool checking() const;
  // Has the program changed files, or taken network ports?
  bool have_outside_effects() const;
  // Those that come next don't watch for them.
  void remember_outside_effects() { outside_effects_ = have_outside_effects(); }
  // Would one more have enough to do? Asked before plans are dealt: those that wait, and `more`.
  bool want_another(std::size_t more) const {
    return waiting_.size() + more != 0 && !goes_on_dealing() && outstanding() >= kPlansAhead / 2;
  }
  void keep_all_output(bool yes);

  void submit(Plan&& plan);
  // To be run once more: behind all that has been taken, under every isolation. It goes to its worker before the next
  // event is looked at: else, of two such plans, which comes first would depend on whether the second one's event was
  // there yet, and with that what the search learns first.
  void requeue(Plan plan);
  // With a fresh worker; whatever is not done follows.
  void begin_with(Plan plan);
  // With a fresh worker; whatever is not done is forgotten.
  void restart();
  // Gives plans that wait to workers that can take them.
  void deal();

  // Gives events to `take`, one after the other, until it returns true or there are none. Never sleeps. With one
  // worker, they come in the order of submission.
  template <typename Take>
  void each_event(const Take& take) {
    for (std::size_t tried = 0; tried < members_.size();) {
      if (last_ >= members_.size()) last_ = 0;
      auto event = members_[last_]->worker.poll(std::chrono::milliseconds(0));
      if (!event) {
        ++last_;
        ++tried;
        continue;
      }
      if (take(*event)) return;
      tried = 0;
    }
    if (last_ >= members_.size()) last_ = 0;
  }
  // Sleeps until one of them may have something.
  void wait(std::chrono::milliseconds limit);

  // Whose event came last; the first one, which is never dropped.
  const Worker& latest() const { return members_[last_]->worker; }
  const Worker& first() const { return members_.front()->worker; }
  // Its plans go to the others.
  void drop_latest();
  void drop_all_but_first();

  // By the worker whose event came last. can_check(): it has room for one that could as well be left out.
  bool can_check() const { return members_[last_]->can_check(); }
  enum class By { Latest, Newest };
  void check(Plan plan, By whom = By::Latest) {
    (whom == By::Latest ? members_[last_] : members_.back())->check(std::move(plan));
  }
  // A check of the worker whose event came last has brought it.
  void check_done();

  template <typename Look>
  void each(const Look& look) const {
    for (const auto& member : members_) look(member->worker);
  }

 private:
  struct Member : PinnedWorker {
    Member(const LaunchOptions& launch, const Isolation& isolation)
        : PinnedWorker(launch, isolation, kPlansAhead + kMaxChecks) {}

    std::size_t checks = 0;  // under way, among what is outstanding at the worker

    std::size_t plans() const;
    bool can_take() const { return worker.can_take() && plans() < kPlansAhead; }
    bool checking() const { return checks != 0 && worker.outstanding() != 0; }
    bool can_check() const { return checks < kMaxChecks && worker.can_take(); }
    void check(Plan plan);
  };

  bool goes_on_dealing() const;

  const LaunchOptions launch_;
  const Isolation& isolation_;
  std::vector<std::unique_ptr<Member>> members_;
  std::size_t last_ = 0;     // whose event came last
  std::size_t dealing_ = 0;  // who gets the next plan
  unsigned dealt_ = 0;       // in a row to the same
  std::size_t waited_for_ = 0;
  std::deque<Plan> waiting_;  // taken, and not yet with a worker, in the order in which they are to be run
  bool keep_all_output_ = false;
  bool outside_effects_ = false;  // of workers that are gone
};

}  // namespace heddle
